// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What ranks that share a process must not do, for checked runs. sharing clean|global|thread|
// local|busy|asleep|endless.
#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>

#include "upwash/upwash.hpp"

using namespace std::chrono_literals;

int total = 0;  // NOLINT: the bug is what is tested

namespace {

std::array<int, 64> of_each{};
thread_local int of_thread = 0;

int& counted() {
  static int number = 0;
  return number;
}

struct told : upwash::service_base {
  explicit told(upwash::job& /*here*/) {}
  bool yes = false;
};

void tell(upwash::incoming& in) { in.here().service<told>().yes = true; }

/// Rank 1 does for so long, while rank 0 could go on.
void keep_core(upwash::job& here, bool asleep, std::chrono::milliseconds time) {
  if (here.rank() == 0) {
    while (!here.service<told>().yes) here.progress();
  }
  if (here.rank() != 1) return;
  upwash::send<&tell>(here, 0);
  const auto end = std::chrono::steady_clock::now() + time;
  if (asleep) std::this_thread::sleep_until(end);
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "clean";
  return upwash::run(argc, argv, [&](upwash::job& here) {
    for (int i = 0; i < 3; ++i) {
      of_each[static_cast<std::size_t>(here.rank()) % of_each.size()] += 1;
      if (what == "global") total += 1;
      if (what == "thread") of_thread += 1;
      if (what == "local") counted() += 1;
      upwash::control::barrier(here.world());
    }
    if (what == "busy" || what == "asleep") keep_core(here, what == "asleep", 300ms);
    if (what == "endless") keep_core(here, true, 1h);
    upwash::control::barrier(here.world());
    if (here.rank() == 0) std::printf("done %d\n", total + of_thread + counted());
  });
}
