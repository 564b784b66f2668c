// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/sparse_exchange.hpp"

#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/schedule/part.hpp"

namespace upwash::collective {

using detail::given_messages;
using schedule::buffer;
using schedule::generator;
using schedule::part;
using schedule::piece;
using schedule::script;
using schedule::send_step;
using schedule::steps;

namespace {

steps exchange(script& out, int ranks, int rank, senders who, detail::to_each what) {
  co_yield out.collect(0);
  for (std::uint64_t i = 0; i < out.given(0).size(); ++i) {
    if (i == 0) given_messages(out.on(), what).check_arrays();
    given_messages(out.on(), what).check(i, ranks);
    const int to = given_messages(out.on(), what).destination(i);
    const send_step step = out.send(to, 0, given_messages(out.on(), what).data(i));
    const send_step going = who == senders::known ? step : step.acknowledged();
    co_yield going;
  }
  if (who == senders::known) {
    co_yield out.close_after(0, out.given(3).size());
    co_return;
  }
  part barrier(out, barrier_by_dissemination(out, ranks, rank),
               {.first_edge = 1, .first_round = 1, .behind_all = true});
  co_await barrier.all();
  const std::uint32_t last = 1 + dissemination_rounds(ranks);
  if (who == senders::checked) {
    co_yield out.close_at(0, out.given(3).size()).in_round(last);
  } else {
    co_yield out.close(0).in_round(last);
  }
}

steps to_neighbors(script& out, int ranks, int rank, int degree, std::uint64_t bytes,
                   bool acknowledged) {
  for (int i = 0; i < degree; ++i) {
    const auto edge = static_cast<std::uint32_t>(i);
    const std::uint64_t offset = edge * bytes;
    const int to = wrapped(std::int64_t{rank} + 1 + i, ranks);
    const send_step step = out.send(to, edge, {buffer::input, offset, bytes});
    const send_step going = acknowledged ? step.acknowledged() : step;
    co_yield going;
    const int from = wrapped(std::int64_t{rank} - 1 - i, ranks);
    co_yield out.receive(from, edge, {buffer::output, offset, bytes});
  }
  if (!acknowledged) co_return;
  part barrier(
      out, barrier_by_dissemination(out, ranks, rank),
      {.first_edge = static_cast<std::uint32_t>(degree), .first_round = 1, .behind_all = true});
  co_await barrier.all();
}

constexpr std::uint32_t window_of_barrier = 2;

}  // namespace

generator sparse_exchange(int ranks, int rank, senders who, detail::to_each what) {
  // Whatever the number of messages: the barrier waits for all of them at once.
  return {{.window = window_of_barrier},
          [=](script& out) { return exchange(out, ranks, rank, who, what); }};
}

generator neighbor_send(int ranks, int rank, int degree, std::uint64_t bytes, bool acknowledged) {
  // The barrier's; the rest is room for messages to overlap.
  return {{.window = 64 + window_of_barrier, .edges_apart = true, .alike = true},
          [=](script& out) { return to_neighbors(out, ranks, rank, degree, bytes, acknowledged); }};
}

}  // namespace upwash::collective
