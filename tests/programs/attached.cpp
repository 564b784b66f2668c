// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A front end without `run`: attaches, adds the ranks up, leaves. Started by hand or by a foreign
// launcher; prints "rank R of N: sum S". attached STATUS: the last rank then ends the job.
#include <array>
#include <cstdio>
#include <cstdlib>

#include "upwash/upwash.hpp"

int main(int argc, char** argv) {
  try {
    const upwash::attached_job attached = upwash::attach(argc, argv);
    upwash::job& here = attached.job();
    std::array<std::uint64_t, 1> sum{static_cast<std::uint64_t>(here.rank())};
    upwash::control::all_reduce(here.world(), sum, upwash::control::fold::sum);
    std::printf("rank %d of %d: sum %llu\n", here.rank(), here.size(),
                static_cast<unsigned long long>(sum[0]));
    if (argc > 1 && here.rank() == here.size() - 1) {
      std::printf("last words");
      attached.abort(std::atoi(argv[1]), "it is enough");
    }
    upwash::control::barrier(here.world());
    return 0;
  } catch (const upwash::error& e) {
    std::fprintf(stderr, "attached: %s\n", e.what());
    return e.exit_status();
  }
}
