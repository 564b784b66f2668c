// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `bench/layers` counts the instructions of: `layer_ways WAY TIMES`, two ranks. callgrind
// counts inside the functions named `counted_` alone, which do not wait: what they need is there.
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "upwash/matching/messages.hpp"
#include "upwash/upwash.hpp"

namespace {

using namespace upwash;

constexpr int burst = 32;  // fits the rings
constexpr int tag = 7;

struct tally final : service_base {
  explicit tally(job& /*here*/) {}
  int arrived = 0;
};
struct tally_address {
  tally* at;
};
void count(incoming& /*in*/, tally_address where) { ++where.at->arrived; }

/// Long enough for what the other rank sends or stores, also under valgrind.
void let_the_other_go_ahead() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

[[gnu::noinline]] void counted_sends(job& here, const tally_address& to) {
  for (int i = 0; i < burst; ++i) send<&count>(here, 1, to);
}
[[gnu::noinline]] void counted_arrivals(job& here, const tally& mine, int all) {
  while (mine.arrived < all) here.progress();
}

void messages(job& here, int times) {
  tally& mine = here.service<tally>();
  std::array<tally_address, 2> tallies{};
  control::all_gather_values(here.world(), tally_address{&mine}, std::span<tally_address>(tallies));
  for (int i = 1; i <= times; ++i) {
    if (here.rank() == 0) {
      counted_sends(here, tallies[1]);
    } else {
      let_the_other_go_ahead();
      counted_arrivals(here, mine, i * burst);
    }
    control::barrier(here.world());
  }
}

using numbers = std::array<std::uint64_t, burst>;

[[gnu::noinline]] void counted_tagged_sends(const team& world, const numbers& from) {
  for (const auto& each : from)
    matching::send(world, 1, tag, std::as_bytes(std::span(&each, 1))).wait();
}
[[gnu::noinline]] void counted_posts(const team& world, numbers& to,
                                     std::vector<matching::receiving>& posted) {
  for (auto& each : to) {
    posted.push_back(matching::receive(world, 0, tag, std::as_writable_bytes(std::span(&each, 1))));
  }
}
[[gnu::noinline]] void counted_completions(std::vector<matching::receiving>& posted) {
  for (auto& each : posted) each.wait();
}

void tagged(job& here, int times) {
  const team world = here.world();
  numbers values{};
  std::vector<matching::receiving> posted;
  posted.reserve(burst);
  for (int i = 0; i < times; ++i) {
    if (here.rank() == 1) counted_posts(world, values, posted);
    control::barrier(world);
    if (here.rank() == 0) {
      counted_tagged_sends(world, values);
    } else {
      let_the_other_go_ahead();
      counted_completions(posted);
      posted.clear();
    }
    control::barrier(world);
  }
}

[[gnu::noinline]] void counted_early_arrivals(job& here) {
  while (matching::memory_of(here).kept < burst) here.progress();
}

/// Messages that come before their receives, and are kept for them.
void early(job& here, int times) {
  const team world = here.world();
  numbers values{};
  std::vector<matching::receiving> posted;
  posted.reserve(burst);
  for (int i = 0; i < times; ++i) {
    if (here.rank() == 0) {
      counted_tagged_sends(world, values);
    } else {
      let_the_other_go_ahead();
      counted_early_arrivals(here);
      counted_posts(world, values, posted);
      counted_completions(posted);
      posted.clear();
    }
    control::barrier(world);
  }
}

[[gnu::noinline]] void counted_puts(job& here, const region& area) {
  const std::array<std::uint64_t, 1> one{1};
  for (int i = 0; i < burst; ++i) {
    put(here, area.at<std::uint64_t>(1), one, implicit);
  }
}

void puts(job& here, int times) {
  region area = allocate(here.world(), 64);
  for (int i = 0; i < times; ++i) {
    if (here.rank() == 0) counted_puts(here, area);
    here.quiet();
    control::barrier(here.world());
  }
  free(area);
}

[[gnu::noinline]] void counted_sum(const team& world, std::span<const double> in,
                                   std::span<double> out) {
  all_reduce<sum>(world, blocking, in, out);
}

/// Of the rank that comes last: all is there.
void sums(job& here, int times) {
  const std::array<double, 1> in{1};
  std::array<double, 1> out{};
  all_reduce<sum>(here.world(), blocking, std::span(in), std::span(out));  // prices algorithms
  for (int i = 0; i < times; ++i) {
    if (here.rank() == 0) {
      let_the_other_go_ahead();
      counted_sum(here.world(), in, out);
    } else {
      all_reduce<sum>(here.world(), blocking, std::span(in), std::span(out));
    }
    control::barrier(here.world());
  }
}

[[gnu::noinline]] request counted_first_start(const team& world, std::span<const double> in,
                                              std::span<double> out) {
  return all_reduce<sum>(world, in, out);
}

/// Of sizes that have not been called before: 8 B, 16 B and so on.
void first_calls(job& here, int times) {
  for (int i = 0; i < times; ++i) {
    const std::vector<double> in(std::size_t{1} << static_cast<unsigned>(i));
    std::vector<double> out(in.size());
    request open = here.rank() == 0 ? counted_first_start(here.world(), in, out)
                                    : all_reduce<sum>(here.world(), in, out);
    open.wait();
    control::barrier(here.world());
  }
}

const std::map<std::string, std::function<void(job&, int)>> ways{
    {"message", messages}, {"tagged", tagged},   {"early", early},
    {"put", puts},         {"all-reduce", sums}, {"first-call", first_calls}};

}  // namespace

int main(int argc, char** argv) {
  const auto way = argc == 3 ? ways.find(argv[1]) : ways.end();
  if (way == ways.end()) {
    std::fputs(
        "usage: upwash run -n 2 layer_ways message|tagged|early|put|all-reduce|first-call TIMES\n",
        stderr);
    return 2;
  }
  const int times = std::stoi(argv[2]);
  return upwash::run(argc, argv, [&](job& here) { way->second(here, times); });
}
