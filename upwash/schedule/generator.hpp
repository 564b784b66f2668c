// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A resumable generator of steps: it emits one rank's steps in topological order. An algorithm is a
// coroutine (script.hpp); storing a schedule is just one more consumer.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "upwash/base/ensure.hpp"
#include "upwash/schedule/one_buffer.hpp"
#include "upwash/schedule/repetition.hpp"
#include "upwash/schedule/script.hpp"
#include "upwash/schedule/step.hpp"
#include "upwash/schedule/tape.hpp"

namespace upwash::schedule {

/// What an algorithm needs of whoever runs it, and what of it repeats.
struct needs {
  /// No step waits for one emitted more than so many steps before it, and so many steps may have
  /// to be open at once.
  std::uint32_t window = 0;
  std::uint32_t slots = 0;          ///< words of the run; zero at first
  std::uint64_t scratch_bytes = 0;  ///< at the start; stages may ask for more
  /// Of `buffer::shared`, the same at all ranks.
  std::uint64_t shared_bytes = 0;
  std::uint32_t counters = 0;  ///< that signals add to; zero at first
  /// There is one counter, which a rank counts up once at most, its own: it says that the rank's
  /// shared pieces are there. The same at all ranks.
  bool announces = false;
  /// Counters and shared pieces are of ranks that share a node with who names them.
  bool inside_nodes = false;
  /// Ranks of one class do about alike at about the same times, so few stand for all of it: what
  /// one sends as edge e stands for what any of them does; edges go up. 0: none.
  std::uint32_t rank_class = 0;
  /// Members read each other's input or output; the same at all ranks.
  bool exposes_input = false;
  bool exposes_output = false;
  /// No rank receives one edge number from two sources.
  bool edges_apart = false;
  /// All ranks do alike at the same times, so one stands for all: a receive of edge e comes when
  /// the rank's own send of edge e arrives there.
  bool alike = false;
  /// All ranks do the same work, but go through their peers in another order. Where all are as far
  /// from each other and load each other's memory, this one takes as long as all do together; < 0:
  /// nobody does.
  int busiest = -1;
  /// Steps depend on what the caller gives or the buffers hold (`facts`): without it there are
  /// none.
  bool given = false;
};

/// A coroutine's parameters, and how it begins with them.
template <class Recipe>
concept recipe = std::is_trivially_copyable_v<Recipe> && requires(const Recipe& from, script& out) {
  { from(out) } -> std::same_as<steps>;
};

/// Any algorithm, type-erased: its recipe lies in place; the coroutine begins with the first step
/// that is asked of it, in memory that is allocated then and used again when the generator is given
/// another value. One that has begun is not copied.
class generator {
 public:
  static constexpr std::size_t most_recipe_bytes = 160;

  /// `from(script&)` begins the coroutine.
  template <recipe Recipe>
  generator(const needs& wants, const Recipe& from) : begin_(&begin_of<Recipe>), needs_(wants) {
    static_assert(sizeof(Recipe) <= most_recipe_bytes && alignof(Recipe) <= alignof(void*));
    ::new (static_cast<void*>(recipe_)) Recipe(from);
  }

  generator(const generator& from)
      : one_buffer_(from.one_buffer_), begin_(from.begin_), needs_(from.needs_) {
    from.ensure_not_begun();
    std::memcpy(recipe_, from.recipe_, most_recipe_bytes);
  }
  generator& operator=(const generator& from) {
    from.ensure_not_begun();
    if (script_) script_->give_up();
    begin_ = from.begin_;
    needs_ = from.needs_;
    emitted_ = never;
    one_buffer_ = from.one_buffer_;
    std::memmove(recipe_, from.recipe_, most_recipe_bytes);
    return *this;
  }
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
    const bool more = running().next(out, on);
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
    one_buffer_.emplace(to, needs_.window);
    return std::move(*this);
  }
  /// The buffer is of so many bytes.
  [[nodiscard]] generator behind_a_copy(std::uint64_t bytes) && {
    one_buffer_.emplace(needs_.scratch_bytes, bytes);
    needs_.window = one_buffer::window_of(needs_.window);
    needs_.scratch_bytes += bytes;
    return std::move(*this);
  }

  /// Begins the coroutine as a part of another one (part.hpp), which says where its steps lie. Not
  /// of one in one buffer.
  [[nodiscard]] steps begin(script& in) const {
    ensure(!one_buffer_, "a part is a schedule of two buffers");
    return begin_(recipe_, in);
  }

  /// The memory of coroutines, to be used by another generator. It is the generator's that has it;
  /// one that gives it away begins anew.
  [[nodiscard]] std::unique_ptr<script> give_memory() noexcept {
    if (script_) script_->give_up();
    emitted_ = never;
    return std::move(script_);
  }
  /// Before the first step. Null: it is allocated with the first step.
  void take_memory(std::unique_ptr<script> unused) noexcept { script_ = std::move(unused); }

  [[nodiscard]] const needs& wants() const noexcept { return needs_; }
  [[nodiscard]] std::uint32_t window() const noexcept { return needs_.window; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return needs_.scratch_bytes; }

  /// What repeats, from the next step on. `known` as for that step.
  [[nodiscard]] repetition repeats(const facts& known) {
    if (one_buffer_ && one_buffer_->copies()) return {};
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
  void skip(std::uint64_t rounds) { script_->skip(rounds); }
  /// Asks for the memory that the next step needs: first for what leads to the coroutine's frames.
  void prefetch() const noexcept {
    if (script_) script_->prefetch();
  }
  void prefetch_frames() const noexcept {
    if (script_) script_->prefetch_frames();
  }
  /// Of the coroutine's frames, once it has begun; else 0.
  [[nodiscard]] std::size_t frame_bytes() const noexcept {
    return script_ ? script_->frame_bytes() : 0;
  }

 private:
  template <class Recipe>
  static steps begin_of(const std::byte* kept, script& in) {
    return (*std::launder(reinterpret_cast<const Recipe*>(kept)))(in);
  }

  script& running() {
    if (!script_ || !script_->begun()) [[unlikely]] {
      if (!script_) script_ = std::make_unique<script>();
      script_->begin(begin_(recipe_, *script_));
    }
    return *script_;
  }
  void ensure_not_begun() const {
    ensure(!script_ || !script_->begun(), "a schedule that has begun is moved, not copied");
  }

  // First what each step needs.
  mark emitted_ = never;
  std::unique_ptr<script> script_;
  std::optional<one_buffer> one_buffer_;  ///< in calls with one only
  steps (*begin_)(const std::byte* kept, script& in);
  needs needs_;
  alignas(void*) std::byte recipe_[most_recipe_bytes] = {};
};

}  // namespace upwash::schedule
