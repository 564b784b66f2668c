// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/other_definitions.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <cstddef>

#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {
namespace {

constexpr char here_in_library = 0;  ///< an address in this library

Dl_info object_of(const void* address) {
  Dl_info found{};
  if (dladdr(address, &found) == 0 || found.dli_fname == nullptr) found = {};
  return found;
}

std::string file_of(const void* address) {
  const char* name = object_of(address).dli_fname;
  return name != nullptr ? name : "an unknown file";
}

}  // namespace

other_definitions find_other_definitions() {
  other_definitions found;
  const void* program = object_of(reinterpret_cast<const void*>(getauxval(AT_PHDR))).dli_fbase;
  void* own = dlopen(file_of(&here_in_library).c_str(), RTLD_LAZY | RTLD_NOLOAD);
  void* library = dlopen(library_file, RTLD_LAZY | RTLD_NOLOAD);
  for (std::size_t i = 0; i < found.in_program.size(); ++i) {
    const char* name = function_names[i];
    const void* ours = own != nullptr ? dlsym(own, name) : nullptr;
    const void* called = dlsym(RTLD_DEFAULT, name);
    found.in_program[i] = ours != nullptr && called != nullptr && called != ours &&
                          object_of(called).dli_fbase == program;
    if (library == nullptr || !found.hidden_file.empty()) continue;
    const void* theirs = dlsym(library, name);
    const void* next = dlsym(RTLD_NEXT, name);
    if (theirs != nullptr && next != nullptr && next != theirs && next != called) {
      found.hidden_file = file_of(next);
      found.hidden_function = name;
    }
  }
  if (own != nullptr) dlclose(own);
  if (library != nullptr) dlclose(library);
  return found;
}

}  // namespace upwash::mpi
