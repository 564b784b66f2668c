// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A neighbor all-gather in its other forms, each against the blocking one in turn: nonblocking and
// waited for at once, persistent, persistent and started.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/bench.hpp"
#include "bench/collectives.hpp"
#include "upwash/neighborhood/graphs/graph_text.hpp"
#include "upwash/neighborhood/neighbor_all_gather.hpp"

namespace upwash::bench {

void neighbor_forms(context& c) {
  static constexpr std::uint64_t own_sizes[] = {8, 1024, 16384};
  const process_graph graph = graph_of("moore:d=2,r=1", c.size());
  const neighborhood on(c.here().world(), {graph.sources(c.rank()), graph.destinations(c.rank())},
                        graph.coordinates());
  for (const char* scheme : {"direct", "best"}) {
    for (const std::uint64_t bytes : c.sizes(own_sizes)) {
      const std::vector<std::byte> mine(bytes);
      std::vector<std::byte> all(bytes * on.sources().size());
      const neighbor_options how{.scheme = scheme};
      const auto run = timed(c, [&] { neighbor_all_gather(on, blocking, mine, all, how); });
      const auto row = [&](const char* form) {
        return series{.label = fmt::format("{}/{}", form, scheme), .bytes = bytes, .unit = "us"};
      };
      c.compare(row("nonblocking"),
                timed(c, [&] { neighbor_all_gather(on, mine, all, how).wait(); }), run);
      collective::persistent kept = neighbor_all_gather(on, persist, mine, all, how);
      c.compare(row("persistent"), timed(c, [&] { kept.run(); }), run);
      c.compare(row("started"), timed(c, [&] { kept.start().wait(); }), run);
    }
  }
}

}  // namespace upwash::bench
