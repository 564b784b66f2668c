// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/one_buffer.hpp"

#include <algorithm>
#include <utility>

namespace upwash::schedule {

std::uint32_t one_buffer::window_of(std::uint32_t inner) noexcept {
  return std::max(within + 1, inner + inner / within + 2);
}

bool one_buffer::emits(step& out, tape& on) {
  if (!copies_ || (copied_ != never && on.latest() - copied_ < within)) return false;
  const std::uint64_t bytes = copied_ == never ? copy_bytes_ : 0;
  out.left = {buffer::output, 0, bytes};
  out.into = {buffer::scratch, copy_at_, bytes};
  copied_ = on.emit(out, copied_);
  return true;
}

void one_buffer::change(step& s, const tape& on) {
  if (to_.asks_first && std::exchange(s.placed, false) && s.kind == step_kind::send) s.into = {};
  if (copies_) {
    read_copy(s, on);
  } else {
    relocate(s, on);
  }
}

void one_buffer::read_copy(step& s, const tape& on) const {
  for (piece* p : {&s.left, &s.right}) {
    if (p->of != buffer::input) continue;
    p->of = buffer::scratch;
    p->offset += copy_at_;
  }
  const bool waits = s.after_all || s.after != decltype(s.after){};
  if (!waits) s.after[0] = static_cast<std::uint32_t>(on.latest() - copied_);
}

void one_buffer::relocate(step& s, const tape& on) {
  move(s.left);
  move(s.right);
  switch (s.kind) {
    case step_kind::send:  // `into` is the receiver's
      sent_ = on.latest();
      break;
    case step_kind::receive:
      if (s.into.of == buffer::output) wait_for_send(s, on);
      [[fallthrough]];
    default: move(s.into);
  }
  if (s.kind == step_kind::copy && s.left == s.into) s.left = s.into = {};
}

void one_buffer::move(piece& p) const noexcept {
  if (p.owner != own) return;
  if (p.of == buffer::input) {
    p.of = to_.input;
    p.offset += to_.input_at;
  } else if (p.of == buffer::output) {
    p.of = to_.output;
    p.offset += to_.output_at;
  }
}

void one_buffer::wait_for_send(step& s, const tape& on) const noexcept {
  const mark distance = on.latest() - sent_;
  if (sent_ == never || distance > window_) return;
  const auto free = std::find(s.after.begin(), s.after.end(), 0U);
  if (free != s.after.end()) *free = static_cast<std::uint32_t>(distance);
}

}  // namespace upwash::schedule
