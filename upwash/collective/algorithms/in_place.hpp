// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Algorithms that are written for an input and an output, in calls where one buffer is both: either
// the pieces of one lie in the other, or what must not be overwritten is copied first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// An algorithm around another. What the inner one needs, this needs too.
template <schedule::algorithm Inner>
class around {
 public:
  explicit around(const Inner& inner) : inner_(inner) {}

  [[nodiscard]] std::uint32_t window() const { return inner_.window(); }
  [[nodiscard]] std::uint64_t scratch_bytes() const { return inner_.scratch_bytes(); }
  [[nodiscard]] std::uint32_t counter_count() const requires requires(const Inner& a) {
    a.counter_count();
  }
  { return inner_.counter_count(); }
  [[nodiscard]] std::uint64_t shared_bytes() const requires requires(const Inner& a) {
    a.shared_bytes();
  }
  { return inner_.shared_bytes(); }
  [[nodiscard]] bool exposes_input() const requires requires(const Inner& a) { a.exposes_input(); }
  { return inner_.exposes_input(); }
  [[nodiscard]] bool exposes_output() const requires requires(const Inner& a) {
    a.exposes_output();
  }
  { return inner_.exposes_output(); }
  [[nodiscard]] bool edges_apart() const requires requires(const Inner& a) { a.edges_apart(); }
  { return inner_.edges_apart(); }
  [[nodiscard]] bool alike() const requires requires(const Inner& a) { a.alike(); }
  { return inner_.alike(); }
  [[nodiscard]] std::uint32_t rank_class() const requires requires(const Inner& a) {
    a.rank_class();
  }
  { return inner_.rank_class(); }

 protected:
  Inner inner_;
};

[[nodiscard]] inline bool is_send(const schedule::step& s) noexcept {
  return s.kind == schedule::step_kind::send;
}

/// Where the rank's own pieces of the input and of the output lie.
struct relocation {
  schedule::buffer input = schedule::buffer::input;
  schedule::buffer output = schedule::buffer::output;
  std::uint64_t input_at = 0;
  std::uint64_t output_at = 0;
  /// Nothing is placed: what comes is written where there is something to read at first.
  bool asks_first = false;
};

/// The inner algorithm's steps, elsewhere. A copy of what is at its place already moves no byte. A
/// receive waits for the latest send, which may still read what the receive overwrites.
template <schedule::algorithm Inner>
class relocated : public around<Inner> {
 public:
  relocated(const Inner& inner, const relocation& to) : around<Inner>(inner), to_(to) {}

  bool next(schedule::step& out, schedule::tape& on) {
    if (!this->inner_.next(out, on)) return false;
    move(out.left);
    move(out.right);
    if (to_.asks_first && std::exchange(out.placed, false) && is_send(out)) out.into = {};
    switch (out.kind) {
      case schedule::step_kind::send:  // `into` is the receiver's
        sent_ = on.latest();
        break;
      case schedule::step_kind::receive:
        if (out.into.of == schedule::buffer::output) wait_for_send(out, on);
        [[fallthrough]];
      default: move(out.into);
    }
    if (out.kind == schedule::step_kind::copy && out.left == out.into) out.left = out.into = {};
    return true;
  }
  [[nodiscard]] schedule::repetition repeats() const requires requires(const Inner& a) {
    a.repeats();
  }
  { return this->inner_.repeats(); }
  void skip(std::uint64_t rounds) requires requires(Inner& a) { a.skip(rounds); }
  { this->inner_.skip(rounds); }

 private:
  void move(schedule::piece& p) const noexcept {
    if (p.owner != schedule::own) return;
    if (p.of == schedule::buffer::input) {
      p.of = to_.input;
      p.offset += to_.input_at;
    } else if (p.of == schedule::buffer::output) {
      p.of = to_.output;
      p.offset += to_.output_at;
    }
  }

  void wait_for_send(schedule::step& out, const schedule::tape& on) const noexcept {
    const schedule::mark distance = on.latest() - sent_;
    if (sent_ == schedule::never || distance > this->window()) return;
    const auto free = std::find(out.after.begin(), out.after.end(), 0U);
    if (free != out.after.end()) *free = static_cast<std::uint32_t>(distance);
  }

  relocation to_;
  schedule::mark sent_ = schedule::never;
};

/// The inner algorithm's steps behind a copy of the output, which they read in place of an input.
/// Nothing is placed, because the copy must come before what the others send.
template <schedule::algorithm Inner>
class copied_first : public around<Inner> {
 public:
  /// `bytes`: of the buffer.
  copied_first(const Inner& inner, std::uint64_t bytes)
      : around<Inner>(inner), copy_at_(inner.scratch_bytes()), bytes_(bytes) {}

  bool next(schedule::step& out, schedule::tape& on) {
    if (begun_ == schedule::never || on.latest() - begun_ >= within) {
      begin(out, on);
      return true;
    }
    if (!this->inner_.next(out, on)) return false;
    for (schedule::piece* p : {&out.left, &out.right}) {
      if (p->of != schedule::buffer::input) continue;
      p->of = schedule::buffer::scratch;
      p->offset += copy_at_;
    }
    if (std::exchange(out.placed, false) && is_send(out)) out.into = {};
    const bool waits = out.after_all || out.after != decltype(out.after){};
    if (!waits) out.after[0] = static_cast<std::uint32_t>(on.latest() - begun_);
    return true;
  }
  [[nodiscard]] std::uint32_t window() const {
    const std::uint32_t inner = this->inner_.window();
    return std::max(within + 1, inner + inner / within + 2);
  }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return copy_at_ + bytes_; }

 private:
  /// So many steps at most lie between the copy and one that waits for it: behind them stands an
  /// empty one, which waits for the copy too.
  static constexpr std::uint32_t within = 32;

  void begin(schedule::step& out, schedule::tape& on) {
    const std::uint64_t bytes = begun_ == schedule::never ? bytes_ : 0;
    out.left = {schedule::buffer::output, 0, bytes};
    out.into = {schedule::buffer::scratch, copy_at_, bytes};
    begun_ = on.emit(out, begun_);
  }

  std::uint64_t copy_at_;  ///< in scratch, behind what the inner algorithm needs
  std::uint64_t bytes_;
  schedule::mark begun_ = schedule::never;
};

}  // namespace upwash::collective
