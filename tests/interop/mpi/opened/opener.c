// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Opens a module as Python does, so that its libraries are found by it alone: opener MODULE.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* module = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  int (*run_module)(void) = module != NULL ? (int (*)(void))dlsym(module, "run_module") : NULL;
  if (run_module == NULL) {
    fprintf(stderr, "opener: %s\n", argc == 2 ? dlerror() : "expected MODULE");
    return 2;
  }
  return run_module();
}
