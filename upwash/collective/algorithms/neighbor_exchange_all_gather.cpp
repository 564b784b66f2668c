// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/neighbor_exchange_all_gather.hpp"

namespace upwash::collective {

using detail::emitted;
using schedule::buffer;
using schedule::step_kind;

int neighbor_exchange_all_gather::neighbour(int round) const noexcept {
  const int side = (rank_ + round) % 2 == 0 ? 1 : ranks_ - 1;
  return static_cast<int>((std::int64_t{rank_} + side) % ranks_);
}

/// In round 0 the pair is whole; then pairs come from both sides by turns, each from one further.
int neighbor_exchange_all_gather::pair_of(int rank, int round) const noexcept {
  const std::int64_t pairs = ranks_ / 2;
  const bool from_above = (rank + round) % 2 == 0;
  const std::int64_t away = (round + 1) / 2;
  const std::int64_t pair = rank / 2 + (from_above ? away : pairs - away);
  return static_cast<int>(pair % pairs * 2);
}

schedule::piece neighbor_exchange_all_gather::blocks(int first, int count) const noexcept {
  return {buffer::output, static_cast<std::uint64_t>(first) * bytes_,
          static_cast<std::uint64_t>(count) * bytes_};
}

emitted neighbor_exchange_all_gather::act(int part, schedule::step& out, schedule::tape& on) {
  out.edge = out.round = static_cast<std::uint32_t>(round());
  if (part == 0) {
    if (round() != 0 || in_place_) return emitted::nothing;
    out.left = {buffer::input, 0, bytes_};
    out.into = blocks(rank_, 1);
    came_ = on.emit(out);
    return emitted::one;
  }
  if (ranks_ == 1) return emitted::nothing;
  const int peer = neighbour(round());
  const auto going = [&](int rank) {
    return round() == 0 ? blocks(rank, 1) : blocks(pair_of(rank, round() - 1), 2);
  };
  out.placed = true;
  out.peer = peer;
  if (part == 1) {
    out.kind = step_kind::send;
    out.left = out.into = going(rank_);
    out.into.owner = peer;
    on.emit(out, came_);
  } else {
    out.kind = step_kind::receive;
    out.into = going(peer);
    // The first pair is the rank's own block too.
    came_ = on.emit(out, round() == 0 ? came_ : schedule::never);
  }
  return emitted::one;
}

}  // namespace upwash::collective
