// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/k_shift_all_gather.hpp"

#include <algorithm>

namespace upwash::collective {

using schedule::buffer;
using schedule::step_kind;

k_shift_all_gather::k_shift_all_gather(int ranks, int rank, std::uint64_t bytes, std::uint64_t k,
                                       bool in_place)
    : ranks_(ranks),
      rank_(rank),
      k_(static_cast<std::int64_t>(std::min(k, static_cast<std::uint64_t>(ranks)))),
      iterations_(ranks / k_),
      bytes_(bytes),
      part_(in_place ? part::send : part::keep) {}

std::int64_t k_shift_all_gather::before() const noexcept {
  return k_ / 2 + (iteration_ == 0 ? ranks_ % k_ : 0);
}

std::int64_t k_shift_all_gather::shift() const noexcept {
  if (passes_on()) return k_;
  const std::int64_t beside = index_ - before();
  return beside < 0 ? beside : beside + 1;
}

int k_shift_all_gather::rank_at(std::int64_t distance) const noexcept {
  return static_cast<int>(((rank_ + distance) % ranks_ + ranks_) % ranks_);
}

schedule::piece k_shift_all_gather::block(int of) const noexcept {
  return {buffer::output, static_cast<std::uint64_t>(of) * bytes_, bytes_};
}

void k_shift_all_gather::next_turn() noexcept {
  ++turn_;
  ++index_;
  const bool last = iteration_ + 1 == iterations_;
  if (index_ < near() + (last ? 0 : 1)) return;
  index_ = 0;
  ++iteration_;
}

bool k_shift_all_gather::next(schedule::step& out, schedule::tape& on) {
  if (part_ == part::keep) {
    out.left = {buffer::input, 0, bytes_};
    out.into = block(rank_);
    sent_.fill(on.emit(out));
    part_ = part::send;
    return true;
  }
  if (static_cast<int>(turn_) + 1 == ranks_) return false;
  out.edge = out.round = turn_;
  out.placed = true;
  const std::int64_t passed = iteration_ * k_;  // so far the block has come already
  if (part_ == part::send) {
    out.kind = step_kind::send;
    out.peer = rank_at(shift());
    out.left = out.into = block(rank_at(-passed));
    out.into.owner = out.peer;
    schedule::mark& earlier = sent_[static_cast<std::size_t>(index_) % most_sends];
    earlier = on.emit(out, earlier);
    part_ = part::receive;
    return true;
  }
  out.kind = step_kind::receive;
  out.peer = rank_at(-shift());
  out.into = block(rank_at(-shift() - passed));
  const schedule::mark came = on.emit(out);
  if (passes_on()) sent_.fill(came);
  next_turn();
  part_ = part::send;
  return true;
}

}  // namespace upwash::collective
