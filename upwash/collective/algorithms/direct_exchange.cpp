// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/direct_exchange.hpp"

#include <algorithm>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/collective/algorithms/detail/latest_marks.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

steps exchange(script& out, blocks data, int rank, direct_stages how, bool in_place) {
  const int ranks = data.members();
  const auto going_to = [&](int peer) {
    if (in_place) return data.at(out, buffer::output, rank);
    const bool same = how.carries == direct_stages::payload::same_for_all;
    return data.at(out, buffer::input, same ? 0 : peer);
  };
  if (!in_place) co_yield out.copy(going_to(rank), data.at(out, buffer::output, rank));
  detail::latest_marks<direct_stages::most_ahead> came(
      how.ahead == 0 ? 1U : static_cast<std::uint32_t>(how.ahead));
  for (int stage = 1; stage < ranks; ++stage) {
    const bool pairs = how.order == direct_stages::partners::paired;
    const int to = pairs ? rank ^ stage : wrapped(std::int64_t{rank} + stage, ranks);
    const int from = pairs ? rank ^ stage : wrapped(std::int64_t{rank} - stage, ranks);
    const auto edge = static_cast<std::uint32_t>(stage - 1);
    const mark before = how.ahead == 0 ? never : came.oldest();
    co_yield out.send(to, edge, going_to(to))
        .placed(data.at(out, buffer::output, rank).of_rank(to))
        .after(before);
    came.add(co_yield out.receive(from, edge, data.at(out, buffer::output, from)).placed());
  }
}

}  // namespace

generator direct_exchange(int ranks, int rank, std::uint64_t bytes, direct_stages chosen,
                          bool in_place) {
  chosen.ahead = std::min(chosen.ahead, direct_stages::most_ahead);
  const blocks data = blocks::alike(ranks, bytes);
  // Steps wait for one of the last few; the rest is room for messages to overlap.
  return {{.window = 64, .edges_apart = true, .alike = true},
          [=](script& out) { return exchange(out, data, rank, chosen, in_place); }};
}

}  // namespace upwash::collective
