// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/direct_exchange.hpp"

#include <algorithm>

namespace upwash::collective {

using detail::emitted;
using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

direct_exchange::direct_exchange(int ranks, int rank, std::uint64_t bytes, parameters chosen,
                                 bool in_place)
    : ranks_(ranks), rank_(rank), bytes_(bytes), how_(chosen), in_place_(in_place) {
  how_.ahead = std::min(how_.ahead, most_ahead);
}

int direct_exchange::peer(bool sends) const noexcept {
  const int stage = round() + 1;
  if (how_.order == partners::paired) return rank_ ^ stage;
  const std::int64_t shift = sends ? stage : ranks_ - stage;
  return static_cast<int>((rank_ + shift) % ranks_);
}

piece direct_exchange::place_of(int rank) const noexcept {
  return {buffer::output, static_cast<std::uint64_t>(rank) * bytes_, bytes_};
}

piece direct_exchange::for_rank(int rank) const noexcept {
  if (in_place_) return place_of(rank_);
  if (how_.carries == payload::same_for_all) return {buffer::input, 0, bytes_};
  return {buffer::input, static_cast<std::uint64_t>(rank) * bytes_, bytes_};
}

emitted direct_exchange::act(int part, schedule::step& out, schedule::tape& on) {
  out.edge = out.round = static_cast<std::uint32_t>(round());
  if (part == 0) {
    if (round() != 0 || in_place_) return emitted::nothing;
    out.left = for_rank(rank_);
    out.into = place_of(rank_);
    on.emit(out);
    return emitted::one;
  }
  if (ranks_ == 1) return emitted::nothing;
  const bool sends = part == 1;
  out.kind = sends ? step_kind::send : step_kind::receive;
  out.placed = true;
  out.peer = peer(sends);
  const int slot = how_.ahead == 0 ? 0 : round() % how_.ahead;
  schedule::mark& came = came_[static_cast<std::size_t>(slot)];
  if (sends) {
    out.left = for_rank(out.peer);
    out.into = place_of(rank_);
    out.into.owner = out.peer;
    on.emit(out, how_.ahead == 0 ? schedule::never : came);
  } else {
    out.into = place_of(out.peer);
    came = on.emit(out);
  }
  return emitted::one;
}

}  // namespace upwash::collective
