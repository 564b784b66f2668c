// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/single_copy_all_gather.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::step_kind;

schedule::piece single_copy_all_gather::block(int of) const noexcept {
  return {buffer::output, static_cast<std::uint64_t>(of) * bytes_, bytes_};
}

bool single_copy_all_gather::next(schedule::step& out, schedule::tape& on) {
  const auto peer = static_cast<int>((std::int64_t{rank_} + turn_) % ranks_);
  out.round = static_cast<std::uint32_t>(turn_ - 1);
  const auto from = [&](int owner) {
    schedule::piece p = in_place_ ? block(owner) : schedule::piece{buffer::input, 0, bytes_};
    p.owner = owner == rank_ ? schedule::own : owner;
    return p;
  };
  switch (phase_) {
    case phase::enter:
      out.kind = step_kind::signal;
      out.edge = entered;
      on.emit(out);
      phase_ = in_place_ ? phase::look : phase::keep;
      if (in_place_ && ranks_ == 1) phase_ = phase::leave;
      return true;
    case phase::keep:
      out.left = from(rank_);
      out.into = block(rank_);
      on.emit(out);
      phase_ = ranks_ == 1 ? phase::leave : phase::look;
      return true;
    case phase::look:
      out.kind = step_kind::await;
      out.peer = peer;
      out.edge = entered;
      out.value = 1;
      on.emit(out);
      phase_ = phase::copy;
      return true;
    case phase::copy:
      out.left = from(peer);
      out.into = block(peer);
      on.emit(out, on.latest());
      phase_ = phase::tell;
      return true;
    case phase::tell:
      out.kind = step_kind::signal;
      out.peer = peer;
      out.edge = read;
      on.emit(out, on.latest());
      phase_ = ++turn_ == ranks_ ? phase::leave : phase::look;
      return true;
    case phase::leave:
      out.kind = step_kind::await;
      out.edge = read;
      out.round = static_cast<std::uint32_t>(ranks_ - 1);
      out.value = static_cast<std::uint64_t>(ranks_ - 1);
      on.emit(out);
      phase_ = phase::end;
      return true;
    case phase::end: break;
  }
  return false;
}

}  // namespace upwash::collective
