// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a neighborhood takes to make with its first all-gather, where members agree on plans by
// messages and by puts: few rounds (node_pairs), many (friends). And for the best scheme, which is
// searched for, against direct in turn.
#include <fmt/format.h>

#include <vector>

#include "bench/bench.hpp"
#include "bench/collectives.hpp"
#include "upwash/neighborhood/graphs/graph_text.hpp"
#include "upwash/neighborhood/neighbor_all_gather.hpp"

namespace upwash::bench {

void neighbor_plans(context& c) {
  const process_graph graph = graph_of("random:permille=500", c.size());
  const neighbors mine{graph.sources(c.rank()), graph.destinations(c.rank())};
  const std::vector<int> block(2, c.rank());
  std::vector<int> theirs(2 * mine.sources.size());
  const auto make = [&](const char* scheme, agree_by by) {
    const neighborhood made(c.here().world(), mine, {}, {.plans_by = by});
    neighbor_all_gather(made, blocking, block, theirs, {.scheme = scheme});
  };
  for (const char* scheme : {"node_pairs", "friends:k=2"}) {
    for (const agree_by by : {agree_by::messages, agree_by::puts}) {
      const char* name = by == agree_by::puts ? "puts" : "messages";
      c.measure({.label = fmt::format("{}/{}", name, scheme), .bytes = 8, .unit = "us"},
                timed(c, [&] { make(scheme, by); }));
    }
  }
  const auto direct = timed(c, [&] { make("direct", agree_by::messages); });
  c.compare({.label = "best over direct", .bytes = 8, .unit = "us"},
            timed(c, [&] { make("best", agree_by::messages); }), direct);
}

}  // namespace upwash::bench
