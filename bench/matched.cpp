// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash bench matched`: collectives whose edges are tagged messages, and a fan-in of messages to
// rank 0, under several stores beside a list (Ghazimirsaeed 2019, figures 3.11, 4.6, 5.4 and 5.8).
// On sim each entry that a search looks at takes the machine's time, by processor or NIC.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "upwash/base/random.hpp"
#include "upwash/matching/messages.hpp"
#include "upwash/matching/options.hpp"

namespace upwash::bench {
namespace {

constexpr collective_options by_messages(std::string_view algorithm) {
  return {.algorithm = algorithm, .transfer = mechanism::matched};
}

/// The pieces of memory that the patterns use.
struct buffers {
  explicit buffers(context& c, std::uint64_t bytes)
      : mine(bytes), all(bytes * static_cast<std::uint64_t>(c.size())) {}
  std::vector<std::byte> mine;
  std::vector<std::byte> all;
};

/// Ranks come at different times, up to 20 us apart, so that messages come in no order.
void skew(context& c, std::uint64_t round) {
  random_stream draw(round, static_cast<std::uint64_t>(c.rank()));
  c.here().compute(duration::from_ns(draw.fraction() * 20'000));
}

/// 16 ranks send two thirds of it.
int messages_of(int rank, int ranks) {
  return rank % std::max(ranks / 16, 2) == 1 ? std::max(ranks / 8, 1) : 1;
}

/// Every rank's messages to rank 0, which receives them from the last to the first, as FDS does in
/// its worst steps (Ghazimirsaeed 2019, 4.4.2).
void fan_in(context& c, buffers& with) {
  const team world = c.here().world();
  if (c.rank() != 0) {
    std::vector<request> going;
    for (int i = 0; i < messages_of(c.rank(), c.size()); ++i) {
      going.push_back(matching::send(world, 0, i, with.mine));
    }
    return wait_all(going);
  }
  std::vector<matching::receiving> coming;
  for (int source = c.size() - 1; source > 0; --source) {
    for (int i = messages_of(source, c.size()) - 1; i >= 0; --i) {
      coming.push_back(matching::receive(world, source, i, with.mine));
    }
  }
  for (auto& each : coming) each.wait();
}

struct pattern {
  std::string_view name;
  void (*run)(context&, buffers&);
};

constexpr std::array patterns{
    pattern{"gather",
            [](context& c, buffers& with) {
              gather(c.here().world(), 0, std::span<const std::byte>(with.mine),
                     std::span(with.all).first(c.rank() == 0 ? with.all.size() : 0),
                     by_messages("flat"))
                  .wait();
            }},
    pattern{"all-reduce",
            [](context& c, buffers& with) {
              std::vector<double> in(with.mine.size() / sizeof(double) + 1, 1);
              std::vector<double> out(in.size());
              all_reduce<sum>(c.here().world(), std::span<const double>(in), std::span(out),
                              by_messages("recursive_doubling"))
                  .wait();
            }},
    pattern{"all-gather",
            [](context& c, buffers& with) {
              all_gather(c.here().world(), std::span<const std::byte>(with.mine),
                         std::span(with.all), by_messages("dissemination"))
                  .wait();
            }},
    pattern{"fan-in", &fan_in},
};

/// us of one, until it is over at rank 0, under the store that is named.
double time_of(context& c, const pattern& what, std::uint64_t bytes, std::string_view store,
               long iterations) {
  const auto slash = store.find('/');
  matching::message_options chosen;
  chosen.engine = store.substr(0, slash);
  chosen.partition = store.substr(slash + 1);
  matching::install(c.here(), chosen);
  buffers with(c, bytes);
  duration spent;
  for (long i = 0; i < iterations; ++i) {
    control::barrier(c.here().world());
    skew(c, static_cast<std::uint64_t>(i));
    const duration start = c.here().now();
    what.run(c, with);
    spent += c.here().now() - start;
  }
  control::barrier(c.here().world());
  return spent.seconds() * 1e6 / static_cast<double>(iterations);
}

}  // namespace

void matched(context& c) {
  constexpr std::uint64_t sizes[] = {8, 1024, 8192};
  constexpr std::array<std::string_view, 5> stores{"list/single", "list/per_source", "list/unified",
                                                   "list/partner_dynamic", "adaptive/single"};
  for (const pattern& what : patterns) {
    if (!c.chosen().algorithm.empty() && c.chosen().algorithm != what.name) continue;
    for (const std::uint64_t bytes : c.sizes(sizes)) {
      for (const std::string_view store : stores) {
        c.compare(
            {fmt::format("{} {}", what.name, store), bytes, "us", false},
            [&](long n) { return time_of(c, what, bytes, store, n); },
            [&](long n) { return time_of(c, what, bytes, "list/single", n); });
      }
    }
  }
}

}  // namespace upwash::bench
