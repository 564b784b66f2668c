// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/bruck_all_to_all.hpp"

#include <algorithm>

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

bruck_all_to_all::bruck_all_to_all(int ranks, int rank, std::uint64_t bytes, int radix)
    : turn_(ranks, rank, radix), ranks_(ranks), rank_(rank), radix_(radix), bytes_(bytes) {
  for (std::int64_t d = 1; d < ranks; d *= radix) {
    const std::int64_t stay = ranks / (d * radix) * d + std::min(ranks % (d * radix), d);
    area_ = std::max(area_, static_cast<std::uint64_t>(ranks - stay));
  }
}

std::int64_t bruck_all_to_all::slots_with(int digit) const noexcept {
  const std::int64_t period = distance_ * radix_;
  const std::int64_t rest = ranks_ % period - digit * distance_;
  return ranks_ / period * distance_ + std::clamp(rest, std::int64_t{0}, distance_);
}

piece bruck_all_to_all::slots(std::int64_t first, std::int64_t count) const noexcept {
  return {buffer::scratch, static_cast<std::uint64_t>(first) * bytes_,
          static_cast<std::uint64_t>(count) * bytes_};
}

piece bruck_all_to_all::area(std::int64_t first, std::int64_t count, bool received) const noexcept {
  return slots(ranks_ + (received ? static_cast<std::int64_t>(area_) : 0) + first, count);
}

void bruck_all_to_all::begin_digit(int digit) noexcept {
  digit_ = digit;
  slot_ = digit * distance_;
  before_ = moved_;
}

void bruck_all_to_all::next_run() noexcept {
  moved_ += std::min(distance_, ranks_ - slot_);
  slot_ += distance_ * radix_;
}

void bruck_all_to_all::move(schedule::step& out, schedule::tape& on, const piece& from,
                            const piece& to) {
  out.left = from;
  out.into = to;
  out.after_all = joins_;
  copied_ = on.emit(out, joins_ ? schedule::never : copied_);
  joins_ = false;
}

/// Behind the last digit's message what came is unpacked, once all has come.
void bruck_all_to_all::after_receive() noexcept {
  turn_.next();
  if (!turn_.begins_round()) {
    begin_digit(turn_.digit());
    part_ = part::pack;
    return;
  }
  moved_ = 0;
  begin_digit(1);
  joins_ = true;
  part_ = part::unpack;
}

void bruck_all_to_all::after_unpack() noexcept {
  if (digit_ + 1 < radix_ && (digit_ + 1) * distance_ < ranks_) {
    begin_digit(digit_ + 1);
    return;
  }
  distance_ *= radix_;
  moved_ = 0;
  begin_digit(1);
  part_ = turn_.ended() ? part::place : part::pack;
  slot_ = turn_.ended() ? 0 : slot_;
}

bool bruck_all_to_all::next(schedule::step& out, schedule::tape& on) {
  const auto rank = static_cast<std::uint64_t>(rank_);
  const std::int64_t ahead = ranks_ - rank_;  // slots of the ranks from this one on
  for (;;) {
    out.round = turn_.round();
    const std::int64_t run = std::min(distance_, ranks_ - slot_);
    switch (part_) {
      case part::begin: {
        const piece ours = slots(0, ahead);
        move(out, on, {buffer::input, rank * bytes_, ours.bytes}, ours);
        part_ = part::begin_wrapped;
        return true;
      }
      case part::begin_wrapped:
        move(out, on, {buffer::input, 0, rank * bytes_}, slots(ahead, rank_));
        begin_digit(1);
        part_ = turn_.ended() ? part::place : part::pack;
        if (turn_.ended()) slot_ = 0;
        return true;
      case part::pack:
        if (slot_ >= ranks_) {
          part_ = part::send;
          break;
        }
        move(out, on, slots(slot_, run), area(moved_, run, false));
        next_run();
        return true;
      case part::send:
        out.kind = step_kind::send;
        out.peer = turn_.ahead();
        out.edge = turn_.edge();
        out.left = area(before_, slots_with(digit_), false);
        on.emit(out, copied_);
        part_ = part::receive;
        return true;
      case part::receive:
        out.kind = step_kind::receive;
        out.peer = turn_.behind();
        out.edge = turn_.edge();
        out.into = area(before_, slots_with(digit_), true);
        on.emit(out, turn_.round() == 0 ? schedule::never : copied_);  // what came was unpacked
        after_receive();
        return true;
      case part::unpack:
        if (slot_ >= ranks_) {
          after_unpack();
          break;
        }
        out.round -= 1;
        move(out, on, area(moved_, run, true), slots(slot_, run));
        next_run();
        return true;
      case part::place: {
        // What has gone x ranks comes from the rank x before.
        const std::int64_t source = (std::int64_t{rank_} - slot_ + ranks_) % ranks_;
        if (turn_.round() != 0) out.round -= 1;
        move(out, on, slots(slot_, 1),
             {buffer::output, static_cast<std::uint64_t>(source) * bytes_, bytes_});
        if (++slot_ == ranks_) part_ = part::end;
        return true;
      }
      case part::end: return false;
    }
  }
}

}  // namespace upwash::collective
