// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "upwash/collective/algorithms/detail/node_stages.hpp"
#include "upwash/collective/algorithms/hierarchical.hpp"

namespace upwash::collective {

using detail::at_mate;
using detail::by_phases;
using detail::needs_of;
using detail::node_phase;
using detail::node_pieces;
using detail::node_place;
using detail::node_stage;
using schedule::buffer;
using schedule::embedding;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

using enum detail::node_counter;

std::uint64_t wide(int number) noexcept { return static_cast<std::uint64_t>(number); }

/// Room for a message of a node of so many.
std::uint64_t message_of(const model::node_map& nodes, int size) noexcept {
  return wide(size) * wide(nodes.largest_size());
}

std::uint64_t most_blocks(const model::node_map& nodes) noexcept {
  std::uint64_t most = 0;
  for (int node = 0; node < nodes.nodes(); ++node) {
    const int size = nodes.size_of(node);
    most =
        std::max(most, wide(size) + 2 * detail::most_turns(nodes, node) * message_of(nodes, size));
  }
  return most;
}

/// Scratch: what mates have for the member, then, for each turn that it leads, what goes and what
/// comes. A message has a row for each receiver, with the blocks of the senders in it.
struct trading : node_pieces {
  explicit trading(const hierarchical_call& call) : node_pieces(call, most_blocks(*call.nodes)) {}

  [[nodiscard]] std::uint64_t room_of(const node_place& here) const noexcept {
    return message_of(here.nodes, here.size());
  }
  [[nodiscard]] piece outgoing(const node_place& here, const node_stage& at) const noexcept {
    return shared(wide(here.size()) + 2 * at.turn * room_of(here),
                  wide(here.size()) * wide(of.nodes->size_of(at.ahead)));
  }
  [[nodiscard]] piece incoming(const node_place& here, const node_stage& at) const noexcept {
    return shared(wide(here.size()) + (2 * at.turn + 1) * room_of(here),
                  wide(here.size()) * wide(of.nodes->size_of(at.behind)));
  }
  /// Where this member's block lies for the member of the node so far ahead that has the place.
  [[nodiscard]] piece cell(const node_place& here, int distance, int place) const noexcept {
    if (distance == 0) return at_mate(here, place, shared(wide(here.place), 1));
    const node_stage at(here, distance);
    const std::uint64_t row = wide(place) * wide(here.size()) + wide(here.place);
    const std::uint64_t begin = outgoing(here, at).offset + row * bytes();
    return at_mate(here, at.leader, {buffer::shared, begin, bytes()});
  }
  /// The blocks for this member of the node so far behind.
  [[nodiscard]] piece row(const node_place& here, int distance) const noexcept {
    if (distance == 0) return shared(0, wide(here.size()));
    const node_stage at(here, distance);
    const std::uint64_t length = wide(of.nodes->size_of(at.behind)) * bytes();
    const std::uint64_t begin = incoming(here, at).offset + wide(here.place) * length;
    return at_mate(here, at.leader, {buffer::shared, begin, length});
  }
  [[nodiscard]] int node_at(const node_place& here, int distance) const noexcept {
    return wrapped(std::int64_t{here.node} + distance, of.nodes->nodes());
  }
  /// Of each stage that it leads.
  [[nodiscard]] std::uint64_t tells(const node_place& here, int place) const noexcept {
    return detail::turns_of(here.nodes, here.node, place);
  }
  [[nodiscard]] embedding embedded(node_phase /*now*/, mark /*before*/) const noexcept {
    return {};
  }
};

schedule::local_step lay(script& out, const trading& all, const node_place& here, int distance,
                         int place, mark before) {
  const int peer = all.of.nodes->rank_at(all.node_at(here, distance), place);
  const buffer from = all.of.in_place ? buffer::output : buffer::input;
  const auto laid = out.copy(all.block(from, peer), all.cell(here, distance, place));
  return before == never ? all.begins(laid) : laid.after(before);
}

/// For other nodes first, since that has to go on.
steps lay_out(script& out, const trading& all) {
  const node_place here(all.of);
  mark mine = never;
  for (int distance = 1; distance <= here.nodes.nodes(); ++distance) {
    const int to = distance % here.nodes.nodes();
    for (int place = 0; place < here.nodes.size_of(all.node_at(here, to)); ++place) {
      mine = co_yield lay(out, all, here, to, place, mine);
    }
  }
  for (int place = 0; place < here.size(); ++place) {
    co_yield out.signal(mates_came).to(here.mate(place)).after(mine);
  }
}

steps trade(script& out, const trading& all) {
  const node_place here(all.of);
  mark told = never;
  for (int distance = here.place + 1; distance < here.nodes.nodes(); distance += here.size()) {
    const node_stage at(here, distance);
    const mark laid = co_yield out.await(mates_came, all.counted(wide(here.size())));
    co_yield out.send(at.to(here.nodes), all.first_edge() + at.edge, all.outgoing(here, at))
        .in_round(at.edge + 1)
        .after(laid);
    const mark came =
        co_yield out
            .receive(at.from(here.nodes), all.first_edge() + at.edge, all.incoming(here, at))
            .in_round(at.edge + 1)
            .after(all.is_first() ? never : laid);
    told = co_yield out.signal(leader_done).in_round(at.edge + 1).after(came, told);
  }
}

schedule::await_step wait_for(script& out, const trading& all, const node_place& here,
                              int distance) {
  if (distance == 0) return out.await(mates_came, all.counted(wide(here.size())));
  return detail::wait_for(out, all, here, node_stage(here, distance));
}

/// The blocks of ranks that follow each other, from the node's number `first` on, which goes on
/// behind them.
schedule::local_step take_some(script& out, const trading& all, const node_place& here,
                               int distance, std::size_t& first) {
  const auto some = all.run(here.nodes.ranks_of(all.node_at(here, -distance)), first);
  first += some.count;
  piece laid = all.row(here, distance);
  laid.offset += some.first * all.bytes();
  laid.bytes = some.count * all.bytes();
  return out.copy(laid, all.blocks_of(some, buffer::output))
      .in_round(static_cast<std::uint32_t>(distance));
}

steps take(script& out, const trading& all) {
  const node_place here(all.of);
  mark taken = never;
  for (int distance = 0; distance < here.nodes.nodes(); ++distance) {
    // In place nothing is written before this member, which is one of those who came, has laid
    // out all.
    taken = co_yield wait_for(out, all, here, distance).after(all.of.in_place ? taken : never);
    const int from = all.node_at(here, -distance);
    for (std::size_t next = 0; next < here.nodes.ranks_of(from).size();) {
      taken = co_yield take_some(out, all, here, distance, next).after(taken);
    }
  }
}

steps begin(script& out, const trading& all, node_phase now) {
  if (now == node_phase::inside) return lay_out(out, all);
  return now == node_phase::among_leaders ? trade(out, all) : take(out, all);
}

}  // namespace

generator hierarchical_all_to_all(const hierarchical_call& of) {
  const trading all{of};
  // Signals wait for one copy; the rest is room for messages to overlap.
  schedule::needs inner{.window =
                            std::max(64U, static_cast<std::uint32_t>(of.nodes->largest_size()))};
  return {needs_of(inner, all.shared_bytes()), [=](script& out) { return by_phases(out, all); }};
}

}  // namespace upwash::collective
