// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last rank throws past its attached job, catches it, tells of it and stays: the others must
// not wait for it for ever. deserting [quietly]: it does not stay, but exits with 0; deserting at
// once: it does so without a word.
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "upwash/upwash.hpp"

int main(int argc, char** argv) {
  try {
    const upwash::attached_job attached = upwash::attach(argc, argv);
    upwash::job& here = attached.job();
    const bool last = here.rank() == here.size() - 1;
    if (last && argc == 3) _exit(0);
    if (last) throw std::runtime_error("out of luck");
    upwash::control::barrier(here.world());
  } catch (const std::runtime_error& e) {
    std::fprintf(stderr, "caught: %s\n", e.what());
    while (argc == 1) pause();
  }
  return 0;
}
