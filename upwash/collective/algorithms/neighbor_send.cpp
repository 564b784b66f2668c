// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/neighbor_send.hpp"

#include "upwash/schedule/sequence.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::step_kind;

bool neighbor_send::next(schedule::step& out, schedule::tape& on) {
  if (sent_ < degree_) {
    exchange(out, on);
    return true;
  }
  if (!acknowledged_ || !barrier_.next(out, on)) return false;
  const auto behind = static_cast<std::uint32_t>(degree_);
  schedule::place_behind_all(out, {.first_edge = behind, .first_round = 1}, all_there_, on);
  return true;
}

void neighbor_send::exchange(schedule::step& out, schedule::tape& on) {
  const std::int64_t shift = receives_ ? ranks_ - 1 - sent_ : 1 + sent_;
  out.peer = static_cast<int>((rank_ + shift) % ranks_);
  out.edge = static_cast<std::uint32_t>(sent_);
  out.kind = receives_ ? step_kind::receive : step_kind::send;
  out.acknowledged = acknowledged_ && !receives_;
  const auto offset = static_cast<std::uint64_t>(sent_) * bytes_;
  (receives_ ? out.into : out.left) = {receives_ ? buffer::output : buffer::input, offset, bytes_};
  on.emit(out);
  if (receives_) ++sent_;
  receives_ = !receives_;
}

}  // namespace upwash::collective
