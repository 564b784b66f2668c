// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/compact.hpp"

namespace upwash::collective::detail {
namespace {

/// Whether a piece can be reached at once: this rank's, or shared scratch.
bool at_hand(const schedule::piece& p, int rank) {
  return p.owner == schedule::own || p.owner == rank || p.of == schedule::buffer::shared;
}

/// Whether a step can run on the board, in its turn.
bool is_compact(const schedule::step& s, int rank, bool edges_apart, bool fetches) {
  using schedule::step_kind;
  if (s.after_all || s.header.count != 0 || s.length_slot != schedule::step::no_slot) return false;
  const std::uint64_t bytes = s.kind == step_kind::send ? s.left.bytes : s.into.bytes;
  switch (s.kind) {
    case step_kind::send:
    case step_kind::receive:
      return edges_apart && !s.acknowledged && s.edge < board::lines &&
             bytes <= board_line::payload_bytes;
    case step_kind::copy: return at_hand(s.into, rank) && (fetches || at_hand(s.left, rank));
    case step_kind::reduce:
      return at_hand(s.left, rank) && at_hand(s.right, rank) && at_hand(s.into, rank);
    case step_kind::signal:
    case step_kind::await: return true;
    default: return false;
  }
}

constexpr std::size_t most_compact_steps = 2048;         ///< 90 bytes each, kept with the plan
constexpr std::uint64_t most_compact_bytes = 1U << 20U;  ///< of a copy: nothing else runs meanwhile

compact_step compacted(const schedule::step& s, int rank, board& shared) {
  using schedule::step_kind;
  const bool receives = s.kind == step_kind::receive;
  const bool has_peer = receives || s.kind == step_kind::send || s.kind == step_kind::signal ||
                        s.kind == step_kind::await;
  compact_step made;
  const auto placed = [rank](const schedule::piece& p) {
    return compact_piece{p.of, p.owner == schedule::own ? rank : p.owner, p.offset};
  };
  made.kind = s.kind;
  made.fetches = s.kind == step_kind::copy && !at_hand(s.left, rank);
  made.left = placed(s.left);
  made.right = placed(s.right);
  made.into = placed(s.into);
  made.edge = s.edge;
  made.bytes = s.kind == step_kind::send ? s.left.bytes : s.into.bytes;
  made.value = s.value;
  // Where a kind has no piece stands its peer, for peer_of.
  const int peer = s.peer == schedule::own ? rank : s.peer;
  if (receives) made.left.owner = peer;
  if (s.kind == step_kind::send || s.kind == step_kind::signal) made.into.owner = peer;
  if (has_peer) made.places = shared.places_of(receives || s.peer < 0 ? rank : s.peer);
  return made;
}

/// Gives each step to `take`; false: one cannot run on the board.
template <class Take>
bool each_step(schedule::generator steps, int ranks, int rank, std::uint64_t scratch_bytes,
               const Take& take) {
  const schedule::needs& wants = steps.wants();
  const bool edges_apart = wants.edges_apart && wants.slots == 0;
  const bool fetches = wants.exposes_input || wants.exposes_output;
  if (wants.counters > board::counters || wants.shared_bytes > scratch_bytes || wants.given) {
    return false;
  }
  std::size_t count = 0;
  for (schedule::step s; steps.next(s);) {
    const bool large = s.left.bytes > most_compact_bytes || s.into.bytes > most_compact_bytes;
    // Who runs it by the window refuses a stranger by name.
    const bool strange = schedule::names_stranger(s, ranks);
    if (++count > most_compact_steps || large || strange ||
        !is_compact(s, rank, edges_apart, fetches)) {
      return false;
    }
    take(s);
  }
  return true;
}

}  // namespace

int peer_of(const compact_step& s, int self) noexcept {
  for (const compact_piece* each : {&s.left, &s.right, &s.into}) {
    if (each->owner != self) return each->owner;
  }
  return -1;
}

bool fits_board(const schedule::generator& steps, int ranks, int rank,
                std::uint64_t scratch_bytes) {
  return each_step(steps, ranks, rank, scratch_bytes, [](const schedule::step&) {});
}

std::optional<std::vector<compact_step>> compact_steps(const schedule::generator& steps, int ranks,
                                                       int rank, board& shared) {
  std::vector<compact_step> all;
  const bool fits =
      each_step(steps, ranks, rank, shared.half_scratch_bytes(),
                [&](const schedule::step& s) { all.push_back(compacted(s, rank, shared)); });
  if (!fits) return std::nullopt;
  return all;
}

}  // namespace upwash::collective::detail
