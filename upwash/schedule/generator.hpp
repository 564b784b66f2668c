// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A resumable generator of steps: it emits one rank's steps in topological order. An algorithm is a
// coroutine (script.hpp). Storing a schedule is one of the uses.
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

/// The resources that an algorithm needs, and its regularities.
struct needs {
  /// No step waits for a step emitted more than `window` steps earlier. Up to `window` steps may
  /// have to be open at once.
  std::uint32_t window = 0;
  std::uint32_t slots = 0;          ///< words of the run, initially zero
  std::uint64_t scratch_bytes = 0;  ///< initial size; stages may ask for more
  /// Bytes of `buffer::shared`, the same at all ranks.
  std::uint64_t shared_bytes = 0;
  std::uint32_t counters = 0;  ///< targets of signals, initially zero
  /// There is one counter. Each rank increments at most its own, at most once, when its shared
  /// pieces are ready. The same at all ranks.
  bool announces = false;
  /// A rank names counters and shared pieces only of ranks on its own node.
  bool inside_nodes = false;
  /// Ranks of one class do similar work at similar times, so that few represent the class. The send
  /// of edge e by one rank represents that of any rank in the class. Edge numbers rise. 0: none.
  std::uint32_t rank_class = 0;
  /// Members read each other's input or output; the same at all ranks.
  bool exposes_input = false;
  bool exposes_output = false;
  /// No rank receives one edge number from two sources.
  bool edges_apart = false;
  /// All ranks do the same work at the same times, so that one represents all. A receive of edge e
  /// completes when the rank's own send of edge e arrives.
  bool alike = false;
  /// All ranks do the same work but visit their peers in different orders. If all are at equal
  /// distances and load each other's memory, the time of this rank is the time of all. Negative:
  /// none.
  int busiest = -1;
  /// Steps depend on the caller's arrays or on buffer contents (`facts`). Without facts there are
  /// no steps.
  bool given = false;
};

/// The parameters of a coroutine, and the way to begin it.
template <class Recipe>
concept recipe = std::is_trivially_copyable_v<Recipe> && requires(const Recipe& from, script& out) {
  { from(out) } -> std::same_as<steps>;
};

/// Any algorithm, type-erased. The recipe is stored inside the generator. The coroutine begins when
/// the first step is requested, in memory allocated then; the memory is reused when the generator
/// is assigned. A generator that has begun cannot be copied.
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

  /// Emits the next step; returns false at the end. O(1). After a stage, call it only once the
  /// stage is complete.
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

  /// Returns the generator for an executor that keeps fewer steps open. Steps that exist only to
  /// let messages overlap may be missing.
  [[nodiscard]] generator in_window(std::uint32_t window) && {
    needs_.window = window;
    return std::move(*this);
  }

  /// Returns the generator for calls in which one buffer is input and output (one_buffer.hpp). Call
  /// it before the first step.
  [[nodiscard]] generator relocated(const relocation& to) && {
    one_buffer_.emplace(to, needs_.window);
    return std::move(*this);
  }
  /// Returns the generator with a preceding copy of `bytes` bytes, the size of the buffer.
  [[nodiscard]] generator behind_a_copy(std::uint64_t bytes) && {
    one_buffer_.emplace(needs_.scratch_bytes, bytes);
    needs_.window = one_buffer::window_of(needs_.window);
    needs_.scratch_bytes += bytes;
    return std::move(*this);
  }

  /// Begins the coroutine as a part of another one (part.hpp), which places its steps. Not for
  /// generators in one buffer.
  [[nodiscard]] steps begin(script& in) const {
    ensure(!one_buffer_, "a part is a schedule of two buffers");
    return begin_(recipe_, in);
  }

  /// Gives the memory of the coroutine away, for another generator. This generator begins anew.
  [[nodiscard]] std::unique_ptr<script> give_memory() noexcept {
    if (script_) script_->give_up();
    emitted_ = never;
    return std::move(script_);
  }
  /// Takes memory for the coroutine. Call it before the first step. Null: allocated with the first
  /// step.
  void take_memory(std::unique_ptr<script> unused) noexcept { script_ = std::move(unused); }

  [[nodiscard]] const needs& wants() const noexcept { return needs_; }
  [[nodiscard]] std::uint32_t window() const noexcept { return needs_.window; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return needs_.scratch_bytes; }

  /// Returns the repetition from the next step on. `known`: as for that step.
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
  /// Skips equal rounds, between two rounds. Call it right after `repeats` has reported them.
  void skip(std::uint64_t rounds) { script_->skip(rounds); }
  /// Prefetches memory for the next step; first the memory that leads to the coroutine's frames.
  void prefetch() const noexcept {
    if (script_) script_->prefetch();
  }
  void prefetch_frames() const noexcept {
    if (script_) script_->prefetch_frames();
  }
  /// Returns the bytes of the coroutine's frames after its begin; otherwise 0.
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

  // Data that every step needs comes first.
  mark emitted_ = never;
  std::unique_ptr<script> script_;
  std::optional<one_buffer> one_buffer_;  ///< only for calls in one buffer
  steps (*begin_)(const std::byte* kept, script& in);
  needs needs_;
  alignas(void*) std::byte recipe_[most_recipe_bytes] = {};
};

}  // namespace upwash::schedule
