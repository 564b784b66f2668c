// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A resumable generator of steps: a cursor of bounded size, copied freely, that emits one rank's
// steps in topological order. An algorithm is a plain struct with `bool next(step&, tape&)`;
// storing a schedule is just one more consumer.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>

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
  std::uint64_t scratch_bytes = 0;  ///< at the start; stages may ask for more
  std::uint32_t slots = 0;          ///< member `slot_count()`; zero at first
  std::uint32_t counters = 0;       ///< member `counter_count()`; zero at first
  /// Of `buffer::shared`, the same at all ranks. Member `shared_bytes()`.
  std::uint64_t shared_bytes = 0;
  /// Members read each other's input or output; the same at all ranks. Members
  /// `bool exposes_input()`, `exposes_output()`.
  bool exposes_input = false;
  bool exposes_output = false;
  /// No rank receives one edge number from two sources. Member `bool edges_apart()`.
  bool edges_apart = false;
  /// All ranks do alike at the same times, so one stands for all: a receive of edge e comes when
  /// the rank's own send of edge e arrives there. Member `bool alike()`.
  bool alike = false;
  /// Ranks of one class do about alike at about the same times, so few stand for all of it: what
  /// one sends as edge e stands for what any of them does; edges go up. 0: none. Member
  /// `std::uint32_t rank_class()`, O(1).
  std::uint32_t rank_class = 0;
};

/// Rounds that are all alike, for the pricer: after `from` of them, `skip(n)` passes over n.
/// One at least is left. Members `repetition repeats()` and `void skip(std::uint64_t rounds)`; 0
/// rounds: nothing repeats, or the last step emitted was not the last of its round.
struct repetition {
  std::uint64_t from = 0;    ///< rounds before they are alike
  std::uint64_t rounds = 0;  ///< alike rounds, from there on
  std::uint32_t edges = 1;   ///< a round's edges are numbered so much above those of the one before
};

/// Any algorithm, type-erased in place: no allocation, 256 bytes of state at most.
class generator {
 public:
  static constexpr std::size_t state_bytes = 256;

  template <algorithm Algorithm>
  explicit generator(const Algorithm& from) : acts_(&acts_of<Algorithm>), needs_(needs_of(from)) {
    static_assert(sizeof(Algorithm) <= state_bytes && alignof(Algorithm) <= alignof(void*));
    ::new (static_cast<void*>(state_)) Algorithm(from);
  }

  /// The next step, or false at the end. O(1). After a stage: call it once the stage is done.
  bool next(step& out) {
    constexpr facts nothing;
    return next(out, nothing);
  }
  bool next(step& out, const facts& known) {
    out.clear();
    tape on(emitted_, &known);
    const bool more = acts_->next(state_, out, on);
    emitted_ = on.latest();
    return more;
  }

  [[nodiscard]] const needs& wants() const noexcept { return needs_; }
  [[nodiscard]] std::uint32_t window() const noexcept { return needs_.window; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return needs_.scratch_bytes; }

  /// What repeats, from the next step on.
  [[nodiscard]] repetition repeats() const { return acts_->repeats(state_); }
  /// Passes over alike rounds, between two rounds.
  void skip(std::uint64_t rounds) { acts_->skip(state_, rounds); }

 private:
  struct acts {
    bool (*next)(std::byte*, step&, tape&);
    repetition (*repeats)(const std::byte*);
    void (*skip)(std::byte*, std::uint64_t);
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
      }};

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
  alignas(void*) std::byte state_[state_bytes] = {};
};

}  // namespace upwash::schedule
