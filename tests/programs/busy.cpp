// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
//   busy SECONDS [FILE]
//
// The last rank computes for so long, and calls nothing of upwash. With FILE rank 0 puts to its
// memory meanwhile, gets from it, adds to a word of it, has it run a memory handler, and sends it a
// message; then it makes
// FILE, which ends the computing: the last rank says "served", or "not
// served" where the time has passed before.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <span>
#include <vector>

#include "upwash/core/active_message.hpp"
#include "upwash/core/atomic.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/core/memory_handler.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/service.hpp"
#include "upwash/upwash.hpp"

namespace {

using namespace upwash;

constexpr std::size_t words = 20'000;  // more than a packet

void add_to_first(memory_call& call, std::uint64_t what) {
  call.values<std::uint64_t>(0, 1)[0] += what;
  call.answer({});
}

struct notes final : service_base {
  explicit notes(job& /*here*/) {}
  int seen = 0;
};

/// On the rank's own thread, when it polls again.
void note(incoming& message) { ++message.here().service<notes>().seen; }

/// Whether it held what was put there. The first word is added to twice.
bool use_memory(job& here, const region& area, int owner, memory_operation<&add_to_first> adding) {
  std::vector<std::uint64_t> put_there(words);
  std::vector<std::uint64_t> got(words);
  std::iota(put_there.begin(), put_there.end(), 1);
  put(here, area.at<std::uint64_t>(owner), std::span<const std::uint64_t>(put_there)).wait();
  fetch_add(here, area.at<std::uint64_t>(owner), 10);
  call_owner(here, adding, area.at<std::uint64_t>(owner), {}, std::uint64_t{100}).wait();
  get(here, area.at<std::uint64_t>(owner), std::span(got)).wait();
  put_there[0] += 110;
  return got == put_there;
}

bool compute(double seconds, const char* file) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::duration<double>(seconds);
  while (clock::now() < end) {
    if (file != nullptr && std::filesystem::exists(file)) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const double seconds = std::atof(argv[1]);
  const char* const file = argc > 2 ? argv[2] : nullptr;
  return run(argc, argv, [&](job& here) {
    const team world = here.world();
    const int last = here.size() - 1;
    region area = allocate(world, words * sizeof(std::uint64_t), atomicity::owner);
    const auto adding = add_memory_handler<&add_to_first>(here, "busy.add");
    barrier(world).wait();
    if (here.rank() == last) {
      std::printf("computing\n");
      std::fflush(stdout);
      const bool served = compute(seconds, file);
      if (file != nullptr) std::printf("%s\n", served ? "served" : "not served");
    } else if (here.rank() == 0 && file != nullptr) {
      for (int i = 0; i < 100; ++i) send<&note>(here, last);
      if (!use_memory(here, area, last, adding)) std::printf("other data\n");
      std::ofstream(file) << "done\n";
    }
    barrier(world).wait();
    barrier(world).wait();  // messages of rank 0 have come before its part of this one
    if (here.rank() == last && file != nullptr && here.service<notes>().seen != 100) {
      std::printf("%d messages\n", here.service<notes>().seen);
    }
    free(area);
  });
}
