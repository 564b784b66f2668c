// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A resumable generator of steps: it emits one rank's steps in topological order. An algorithm is a
// coroutine (script.hpp) or a plain struct with `bool next(step&, tape&)`; storing a schedule is
// just one more consumer.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "upwash/base/ensure.hpp"
#include "upwash/schedule/one_buffer.hpp"
#include "upwash/schedule/repetition.hpp"
#include "upwash/schedule/script.hpp"
#include "upwash/schedule/step.hpp"
#include "upwash/schedule/tape.hpp"

namespace upwash::schedule {

/// What an algorithm is: a plain value that emits steps, and says what it needs of an executor.
template <class Algorithm>
concept algorithm = std::is_trivially_copyable_v<Algorithm> &&
    requires(Algorithm& a, const Algorithm& c, step& out, tape& on) {
  { a.next(out, on) } -> std::same_as<bool>;
  { c.window() } -> std::convertible_to<std::uint32_t>;
  { c.scratch_bytes() } -> std::convertible_to<std::uint64_t>;
};

/// What an algorithm needs of whoever runs it, and what of it repeats.
struct needs {
  /// No step waits for one emitted more than so many steps before it, and so many steps may have
  /// to be open at once.
  std::uint32_t window = 0;
  std::uint32_t slots = 0;          ///< member `slot_count()`; zero at first
  std::uint64_t scratch_bytes = 0;  ///< at the start; stages may ask for more
  /// Of `buffer::shared`, the same at all ranks. Member `shared_bytes()`.
  std::uint64_t shared_bytes = 0;
  std::uint32_t counters = 0;  ///< member `counter_count()`; zero at first
  /// Ranks of one class do about alike at about the same times, so few stand for all of it: what
  /// one sends as edge e stands for what any of them does; edges go up. 0: none. Member
  /// `std::uint32_t rank_class()`, O(1).
  std::uint32_t rank_class = 0;
  /// Members read each other's input or output; the same at all ranks. Members
  /// `bool exposes_input()`, `exposes_output()`.
  bool exposes_input = false;
  bool exposes_output = false;
  /// No rank receives one edge number from two sources. Member `bool edges_apart()`.
  bool edges_apart = false;
  /// All ranks do alike at the same times, so one stands for all: a receive of edge e comes when
  /// the rank's own send of edge e arrives there. Member `bool alike()`.
  bool alike = false;
  /// Steps depend on what the caller gives or the buffers hold (`facts`): without it there are
  /// none.
  bool given = false;
};

/// A coroutine's parameters, and how it begins with them.
template <class Recipe>
concept recipe = std::is_trivially_copyable_v<Recipe> && requires(const Recipe& from, script& out) {
  { from(out) } -> std::same_as<steps>;
};

/// Any algorithm, type-erased: a struct's state, 248 bytes at most, lies in place; a coroutine
/// begins with the first step that is asked of it, in memory that is allocated then. Copies of one
/// that has begun are for structs only.
class generator {
 public:
  static constexpr std::size_t state_bytes = 248;

  template <algorithm Algorithm>
  generator(const Algorithm& from) : acts_(&acts_of<Algorithm>), needs_(needs_of(from)) {
    static_assert(sizeof(Algorithm) <= state_bytes && alignof(Algorithm) <= alignof(void*));
    ::new (static_cast<void*>(state_)) Algorithm(from);
  }

  /// `from(script&)` begins the coroutine.
  template <recipe Recipe>
  generator(const needs& wants, const Recipe& from)
      : acts_(&acts_of_recipe<Recipe>), needs_(wants) {
    static_assert(sizeof(Recipe) <= state_bytes && alignof(Recipe) <= alignof(void*));
    ::new (static_cast<void*>(state_)) Recipe(from);
  }

  generator(const generator& from)
      : acts_(from.acts_),
        needs_(from.needs_),
        emitted_(from.emitted_),
        one_buffer_(from.one_buffer_ ? std::make_unique<one_buffer>(*from.one_buffer_) : nullptr) {
    ensure(!from.script_, "a recorded schedule is moved, not copied");
    std::memcpy(state_, from.state_, state_bytes);
  }
  generator& operator=(const generator& from) { return *this = generator(from); }
  generator(generator&&) noexcept = default;
  generator& operator=(generator&&) noexcept = default;
  ~generator() = default;

  /// The next step, or false at the end. O(1). After a stage: call it once the stage is done.
  bool next(step& out) {
    constexpr facts nothing;
    return next(out, nothing);
  }
  bool next(step& out, const facts& known) {
    out.clear();
    tape on(emitted_, &known);
    if (one_buffer_ && one_buffer_->emits(out, on)) {
      emitted_ = on.latest();
      return true;
    }
    const bool more =
        acts_->begin == nullptr ? acts_->next(state_, out, on) : running().next(out, on);
    emitted_ = on.latest();
    if (more && one_buffer_) one_buffer_->change(out, on);
    return more;
  }

  /// The same for an executor that keeps fewer steps open: what is there only to let messages
  /// overlap may be missing.
  [[nodiscard]] generator in_window(std::uint32_t window) && {
    needs_.window = window;
    return std::move(*this);
  }

  /// In calls where one buffer is input and output (one_buffer.hpp); before the first step.
  [[nodiscard]] generator relocated(const relocation& to) && {
    one_buffer_ = std::make_unique<one_buffer>(to, needs_.window);
    return std::move(*this);
  }
  /// The buffer is of so many bytes.
  [[nodiscard]] generator behind_a_copy(std::uint64_t bytes) && {
    one_buffer_ = std::make_unique<one_buffer>(needs_.scratch_bytes, bytes);
    needs_.window = one_buffer::window_of(needs_.window);
    needs_.scratch_bytes += bytes;
    return std::move(*this);
  }

  /// Begins the coroutine as a part of another one (part.hpp), which says where its steps lie. Not
  /// of structs, nor of one in one buffer.
  [[nodiscard]] steps begin(script& in) const {
    ensure(acts_->begin != nullptr && !one_buffer_, "a part is a coroutine of two buffers");
    return acts_->begin(state_, in);
  }

  [[nodiscard]] const needs& wants() const noexcept { return needs_; }
  [[nodiscard]] std::uint32_t window() const noexcept { return needs_.window; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return needs_.scratch_bytes; }

  /// What repeats, from the next step on. `known` as for that step.
  [[nodiscard]] repetition repeats(const facts& known) {
    if (one_buffer_ && one_buffer_->copies()) return {};
    if (acts_->begin == nullptr) return acts_->repeats(state_);
    tape on(emitted_, &known);
    const repetition found = running().repeats(on);
    emitted_ = on.latest();
    return found;
  }
  [[nodiscard]] repetition repeats() {
    constexpr facts nothing;
    return repeats(nothing);
  }
  /// Passes over alike rounds, between two rounds: where `repeats` has just said so.
  void skip(std::uint64_t rounds) {
    if (acts_->begin == nullptr) return acts_->skip(state_, rounds);
    script_->skip(rounds);
  }
  /// Of a coroutine's frame, once it has begun; else 0.
  [[nodiscard]] std::size_t frame_bytes() const noexcept {
    return script_ ? script_->frame_bytes() : 0;
  }

 private:
  struct acts {
    bool (*next)(std::byte*, step&, tape&);
    repetition (*repeats)(const std::byte*);
    void (*skip)(std::byte*, std::uint64_t);
    steps (*begin)(const std::byte*, script&);  ///< of a coroutine, which has nothing else
  };

  template <class Algorithm>
  static Algorithm& at(std::byte* state) {
    return *std::launder(reinterpret_cast<Algorithm*>(state));
  }
  template <class Algorithm>
  static constexpr acts acts_of = {
      [](std::byte* state, step& out, tape& on) { return at<Algorithm>(state).next(out, on); },
      [](const std::byte* state) {
        const Algorithm& of = *std::launder(reinterpret_cast<const Algorithm*>(state));
        if constexpr (requires { of.repeats(); }) return repetition(of.repeats());
        return repetition{};
      },
      [](std::byte* state, std::uint64_t rounds) {
        if constexpr (requires { at<Algorithm>(state).skip(rounds); }) {
          at<Algorithm>(state).skip(rounds);
        }
      },
      nullptr};
  template <class Recipe>
  static constexpr acts acts_of_recipe = {
      nullptr, nullptr, nullptr, [](const std::byte* state, script& out) {
        return (*std::launder(reinterpret_cast<const Recipe*>(state)))(out);
      }};

  script& running() {
    if (!script_) {
      script_ = std::make_unique<script>();
      script_->begin(acts_->begin(state_, *script_));
    }
    return *script_;
  }

  template <class Algorithm>
  static needs needs_of(const Algorithm& from) {
    needs all{.window = from.window(), .scratch_bytes = from.scratch_bytes()};
    if constexpr (requires { from.slot_count(); }) all.slots = from.slot_count();
    if constexpr (requires { from.counter_count(); }) all.counters = from.counter_count();
    if constexpr (requires { from.shared_bytes(); }) all.shared_bytes = from.shared_bytes();
    if constexpr (requires { from.exposes_input(); }) all.exposes_input = from.exposes_input();
    if constexpr (requires { from.exposes_output(); }) all.exposes_output = from.exposes_output();
    if constexpr (requires { from.edges_apart(); }) all.edges_apart = from.edges_apart();
    if constexpr (requires { from.alike(); }) all.alike = from.alike();
    if constexpr (requires { from.rank_class(); }) all.rank_class = from.rank_class();
    return all;
  }

  const acts* acts_;
  needs needs_;
  mark emitted_ = never;
  std::unique_ptr<one_buffer> one_buffer_;  ///< in calls with one only
  std::unique_ptr<script> script_;
  alignas(void*) std::byte state_[state_bytes] = {};
};

}  // namespace upwash::schedule
