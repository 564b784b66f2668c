// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is longer than the scratch of a node goes in pieces, a piece of each block at a time, one
// behind the other. Between two of them the members of a node wait for each other: what lay in
// their scratch has been taken, and counters count of a piece what that one alone needs. Blocks of
// different lengths lie in the same order, where words of the run say; short ones have no more to
// give in the last pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/collective/algorithms/detail/node_phases.hpp"

namespace upwash::collective::detail {

/// Ranks, among some that are listed, whose blocks follow each other in a vector.
struct run_of_ranks {
  std::size_t first = 0;  ///< where they are in the list
  std::size_t count = 0;
  int rank = 0;  ///< the first of them
};

/// Words of a run whose blocks have different lengths, in bytes: where blocks of the piece begin in
/// scratch, node by node, and where the last ends; the same of nodes; where those of ranks begin in
/// the vector.
struct node_words {
  explicit node_words(const model::node_map& nodes) noexcept
      : nodes_at(static_cast<std::size_t>(nodes.ranks()) + 1),
        vector_at(nodes_at + static_cast<std::size_t>(nodes.nodes()) + 1),
        count(static_cast<std::uint32_t>(vector_at) + static_cast<std::uint32_t>(nodes.ranks())) {}

  std::size_t nodes_at;
  std::size_t vector_at;
  std::uint32_t count;
};

/// What lies in a member's scratch beside the blocks of all.
enum class beside : std::uint8_t { nothing, what_comes };

/// A call, and the piece of it that goes now: blocks of it, or one vector.
struct node_pieces {
  static constexpr beside lies_beside = beside::nothing;

  hierarchical_call of;    ///< where lengths are given, its bytes are the longest block's
  std::uint64_t room = 0;  ///< bytes of a piece of a block, but for the last, which may have fewer
  const schedule::script* told_by = nullptr;  ///< the run, where lengths are given
  std::uint32_t blocks = 1;                   ///< lie in the scratch of one member, at most
  std::uint32_t number = 0;

  node_pieces(const hierarchical_call& call, std::uint64_t blocks_of_one) noexcept
      : of(call), room(call.bytes), blocks(static_cast<std::uint32_t>(blocks_of_one)) {
    if (of.given || blocks * room <= of.scratch_bytes) return;
    const std::uint64_t elements = (of.bytes + of.element_bytes - 1) / of.element_bytes;
    const std::uint64_t most =
        std::max<std::uint64_t>(1, of.scratch_bytes / blocks / of.element_bytes);
    const std::uint64_t pieces = (elements + most - 1) / most;
    room = (elements + pieces - 1) / pieces * of.element_bytes;
  }

  [[nodiscard]] bool several() const noexcept { return room < of.bytes; }
  [[nodiscard]] bool is_first() const noexcept { return number == 0; }
  [[nodiscard]] bool is_last() const noexcept {
    return (std::uint64_t{number} + 1) * room >= of.bytes;
  }
  [[nodiscard]] std::uint64_t begin() const noexcept { return number * room; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return std::min(room, of.bytes - begin()); }
  /// What a counter comes to that has counted so many in each piece, this one too.
  [[nodiscard]] std::uint64_t counted(std::uint64_t each) const noexcept {
    return each * (std::uint64_t{number} + 1);
  }
  /// Of shared scratch: where lengths are given, all.
  [[nodiscard]] std::uint64_t shared_bytes() const noexcept {
    return of.given ? std::max(of.scratch_bytes, blocks * of.element_bytes) : blocks * room;
  }
  /// Blocks of this piece in scratch, by their numbers, node by node.
  [[nodiscard]] schedule::piece shared(std::uint64_t first, std::uint64_t count) const noexcept {
    if (!of.given) return {schedule::buffer::shared, first * bytes(), count * bytes()};
    return {schedule::buffer::shared, word(first), word(first + count) - word(first)};
  }
  /// The piece of a rank's block in a vector of blocks.
  [[nodiscard]] schedule::piece block(schedule::buffer where, int rank) const noexcept {
    if (of.given) return given_block(where, rank, word(node_words(*of.nodes).vector_at + at(rank)));
    return {where, at(rank) * of.bytes + begin(), bytes()};
  }
  /// The piece of a vector that is the member's block alone.
  [[nodiscard]] schedule::piece vector(schedule::buffer where) const noexcept {
    return of.given ? given_block(where, of.rank, 0) : block(where, 0);
  }
  /// From number `first` of the ranks on: one alone where pieces of their blocks go.
  [[nodiscard]] run_of_ranks run(std::span<const int> ranks, std::size_t first) const noexcept {
    std::size_t end = first + 1;
    const bool alone = several() || (of.given && !told_by->given(1).empty());
    while (!alone && end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    return {first, end - first, ranks[first]};
  }
  /// Where lengths are given: of a run in the list of all members.
  [[nodiscard]] schedule::piece blocks_of(const run_of_ranks& some,
                                          schedule::buffer where) const noexcept {
    return {where, block(where, some.rank).offset,
            of.given ? shared(some.first, some.count).bytes : some.count * bytes()};
  }
  /// The blocks of a node's members, in scratch.
  [[nodiscard]] schedule::piece node_blocks(int node) const noexcept {
    return shared(of.nodes->firsts()[at(node)], at(of.nodes->size_of(node)));
  }
  /// The first step of a piece waits for all of the one before.
  template <class Step>
  [[nodiscard]] Step begins(const Step& first) const {
    return is_first() ? first : first.after_all();
  }
  /// Edges of messages among so many nodes; two a node and piece are more than any exchange has.
  [[nodiscard]] std::uint32_t first_edge() const noexcept {
    return number * 2 * static_cast<std::uint32_t>(of.nodes->nodes());
  }
  /// Where lengths are given: before the first piece, how long pieces are, and, before each, where
  /// its blocks lie. O(P), the first time O(P log n) for blocks of n elements. Throws `error`
  /// (argument) where lengths are missing.
  void note_lengths(schedule::script& out, beside also);

 private:
  [[nodiscard]] static std::uint64_t at(int index) noexcept {
    return static_cast<std::uint64_t>(index);
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t index) const noexcept {
    return told_by->words()[index];
  }
  [[nodiscard]] std::uint64_t given_bytes(int rank) const noexcept {
    return told_by->given(0)[at(rank)] * of.element_bytes;
  }
  /// Of a block that begins there.
  [[nodiscard]] schedule::piece given_block(schedule::buffer where, int rank,
                                            std::uint64_t from) const noexcept {
    const std::uint64_t all = given_bytes(rank);
    const std::uint64_t gone = std::min(begin(), all);
    return {where, from + gone, std::min(room, all - gone)};
  }
  /// Of scratch, where pieces have so much room.
  [[nodiscard]] std::uint64_t needed(std::uint64_t room_of_each, beside also) const noexcept;
};

[[nodiscard]] inline schedule::needs needs_of(const schedule::needs& among,
                                              const node_pieces& all) {
  schedule::needs made = needs_of(among, all.shared_bytes());
  made.given = all.of.given;
  if (made.given) made.slots = node_words(*all.of.nodes).count;
  return made;
}

/// Until a mate that tells its node so many things a piece has told number `which` of this one.
/// Beside these it tells that it is done with the piece.
[[nodiscard]] inline schedule::await_step wait_for_mate(schedule::script& out,
                                                        const node_pieces& all,
                                                        const node_place& here, int place,
                                                        std::uint64_t things, std::uint64_t which) {
  const auto told = out.await(leader_done, all.number * (things + 1) + which);
  return place == here.place ? told : told.of_peer(here.mate(place));
}

/// This member is done with the piece, and waits for its mates.
template <class Call>
schedule::steps meet_mates_between(schedule::script& out, const Call& all) {
  const node_place here(all.of);
  co_yield out.signal(leader_done).after_all();
  for (int place = 0; place < here.size(); ++place) {
    const std::uint64_t things = all.tells(here, place);
    if (place != here.place) co_yield wait_for_mate(out, all, here, place, things, things + 1);
  }
}

template <class Call>
[[nodiscard]] schedule::steps begin_any(schedule::script& out, const Call& all, node_phase now) {
  return now == node_phase::between_pieces ? meet_mates_between(out, all) : begin(out, all, now);
}

/// All pieces, and of each the phases. What leaders do waits for the last step inside. A member
/// tells its mates `all.tells(here, place)` things a piece by its counter `leader_done`.
template <class Call>
schedule::steps by_phases(schedule::script& out, Call all) {
  using enum node_phase;
  for (;; ++all.number) {
    if (all.of.given) all.note_lengths(out, Call::lies_beside);
    for (const node_phase now : {inside, among_leaders, from_leaders, between_pieces}) {
      if (now == between_pieces && all.is_last()) co_return;
      schedule::part next(out, begin_any(out, all, now), all.embedded(now, out.latest()));
      co_await next.all();
    }
  }
}

/// What each member has lies at the first of its node, in `all.laid_out(here)`.
template <class Call>
schedule::steps lay_at_first(schedule::script& out, const Call& all) {
  const node_place here(all.of);
  const schedule::mark mine = co_yield all.begins(out.copy(all.contribution(), all.laid_out(here)));
  if (here.place != 0) {
    co_yield out.signal(mates_came).to(here.mate(0)).after(mine);
  } else if (here.others() != 0) {
    co_yield out.await(mates_came, all.counted(here.others())).in_round(0).after(mine);
  }
}

}  // namespace upwash::collective::detail
