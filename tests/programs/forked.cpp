// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks fork, and their children end in ways of their own: forked exit|return|throw [run]. With
// "run" the job is that of `upwash::run`, else it is attached and lies in a static object.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "upwash/upwash.hpp"

namespace {

std::optional<upwash::attached_job> kept;  // destroyed by exit(), as a front end's is

/// True in a child that returns.
bool work(upwash::job& here, std::string_view how) {
  for (int round = 0; round < 3; ++round) {
    const pid_t child = fork();  // with what the rank has printed still in its buffers
    if (child == 0) {
      if (how == "exit") std::exit(0);
      if (how == "throw") throw std::runtime_error("in the child");
      return true;
    }
    waitpid(child, nullptr, 0);
    std::array<std::uint64_t, 1> sum{static_cast<std::uint64_t>(here.rank())};
    upwash::control::all_reduce(here.world(), sum, upwash::control::fold::sum);
    std::printf("rank %d: sum %d\n", here.rank(), static_cast<int>(sum[0]));
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "exit";
  if (argc > 2) {
    return upwash::run(argc, argv, [&](upwash::job& here) { static_cast<void>(work(here, how)); });
  }
  kept.emplace(upwash::attach(argc, argv));
  try {
    static_cast<void>(work(kept->job(), how));
  } catch (const std::exception&) {
    return 3;
  }
  return 0;
}
