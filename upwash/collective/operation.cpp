// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/operation.hpp"

#include <algorithm>

namespace upwash::collective::detail {
namespace {

constexpr std::uint32_t least_slots = 32;  ///< so that independent steps overlap

}  // namespace

operation::operation(const team& on, std::uint32_t its_number, const schedule::generator& steps,
                     const binding& bound, completer told)
    : among(on),
      number(its_number),
      buffers(bound),
      end(told),
      steps_(steps),
      slots_(std::max(steps.window() + 1, least_slots)),
      scratch_(steps.scratch_bytes()) {}

void operation::refill() {
  for (;;) {
    while (base_ < next_ && at(base_).state == progress_of::done) ++base_;
    if (ended_ || next_ - base_ == slots_.size()) return;
    slot fresh;
    fresh.of = this;
    if (!steps_.next(fresh.what)) {
      ended_ = true;
      return;
    }
    at(next_++) = fresh;
  }
}

bool operation::ready(std::uint64_t index) const noexcept {
  for (const std::uint32_t distance : slots_[index % slots_.size()].what.after) {
    if (distance == 0 || distance > index || index - distance < base_) continue;
    if (slots_[(index - distance) % slots_.size()].state != progress_of::done) return false;
  }
  return true;
}

const std::byte* operation::source(const schedule::piece& p) const noexcept {
  switch (p.of) {
    case schedule::buffer::input: return buffers.input.data() + p.offset;
    case schedule::buffer::output: return buffers.output.data() + p.offset;
    case schedule::buffer::scratch: return scratch_.data() + p.offset;
    case schedule::buffer::none: break;
  }
  return nullptr;
}

std::byte* operation::target(const schedule::piece& p) noexcept {
  if (p.of == schedule::buffer::output) return buffers.output.data() + p.offset;
  return p.of == schedule::buffer::scratch ? scratch_.data() + p.offset : nullptr;
}

edge_key operation::key_of(const slot& s) const {
  return {among.id(), number, s.what.edge, among.world_rank(s.what.peer)};
}

}  // namespace upwash::collective::detail
