// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/dissemination_all_gather.hpp"

#include <algorithm>

namespace upwash::collective {

using schedule::buffer;
using schedule::step_kind;

dissemination_all_gather::dissemination_all_gather(int ranks, int rank, std::uint64_t bytes,
                                                   int radix, bool in_place)
    : turn_(ranks, rank, radix),
      bytes_(bytes),
      ranks_(static_cast<std::uint64_t>(ranks)),
      rank_(static_cast<std::uint64_t>(rank)),
      in_place_(in_place) {}

std::uint64_t dissemination_all_gather::message_bytes() const noexcept {
  const auto missing = ranks_ - static_cast<std::uint64_t>(turn_.reach());
  return std::min(static_cast<std::uint64_t>(turn_.distance()), missing) * bytes_;
}

bool dissemination_all_gather::next(schedule::step& out, schedule::tape& on) {
  const std::uint64_t behind_own = (ranks_ - rank_) * bytes_;  // from the own block to the last
  out.round = turn_.round();
  switch (part_) {
    case part::keep:
      out.left = in_place_ ? schedule::piece{buffer::output, rank_ * bytes_, bytes_}
                           : schedule::piece{buffer::input, 0, bytes_};
      out.into = {buffer::scratch, 0, bytes_};
      came_ = on.emit(out);
      part_ = turn_.ended() ? part::turn_tail : part::send;
      return true;
    case part::send:
      if (turn_.begins_round()) held_ = came_;
      out.kind = step_kind::send;
      out.peer = turn_.behind();
      out.edge = turn_.edge();
      out.left = {buffer::scratch, 0, message_bytes()};
      on.emit(out, held_);
      part_ = part::receive;
      return true;
    case part::receive:
      out.kind = step_kind::receive;
      out.peer = turn_.ahead();
      out.edge = turn_.edge();
      out.into = {buffer::scratch, static_cast<std::uint64_t>(turn_.reach()) * bytes_,
                  message_bytes()};
      came_ = on.emit(out, came_);
      turn_.next();
      part_ = turn_.ended() ? part::turn_tail : part::send;
      return true;
    case part::turn_tail:
      out.left = {buffer::scratch, 0, behind_own};
      out.into = {buffer::output, rank_ * bytes_, behind_own};
      on.emit(out, came_);
      part_ = part::turn_head;
      return true;
    case part::turn_head:
      out.left = {buffer::scratch, behind_own, rank_ * bytes_};
      out.into = {buffer::output, 0, rank_ * bytes_};
      on.emit(out, came_);
      part_ = part::end;
      return true;
    case part::end: break;
  }
  return false;
}

}  // namespace upwash::collective
