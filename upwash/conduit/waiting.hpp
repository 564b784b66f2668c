// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank waits for and why. All waiting in the library goes through one function
// (core: host::wait), which polls and, when nothing moves, asks the waiter to idle.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "upwash/base/duration.hpp"
#include "upwash/base/words.hpp"
#include "upwash/conduit/message.hpp"
#include "upwash/observe/wait_reason.hpp"

namespace upwash::conduit {

using upwash::comparison;
using upwash::wait_reason;

/// A condition that ends a wait.
class wait_target {
 public:
  enum class kind : std::uint8_t { counter_zero, word, credit, predicate };

  /// Until `*counter` is 0: an operation's outstanding stages.
  [[nodiscard]] static wait_target counter_zero(const std::atomic<std::uint32_t>& counter) {
    wait_target target(kind::counter_zero);
    target.subject_ = &counter;
    return target;
  }

  /// Until the aligned word, in registered memory of this rank, compares so with `value`.
  [[nodiscard]] static wait_target word(const std::uint64_t& word, comparison how,
                                        std::uint64_t value) {
    wait_target target(kind::word);
    target.subject_ = &word;
    target.how_ = how;
    target.value_ = value;
    return target;
  }

  /// The same, where peers write the word themselves: looking at it again soon may find it changed.
  [[nodiscard]] static wait_target peers_word(const std::uint64_t& word, comparison how,
                                              std::uint64_t value) {
    wait_target target = wait_target::word(word, how, value);
    target.by_peers_ = true;
    return target;
  }

  /// Until an injection to `peer` on `which` is worth trying again: one idle, then ready.
  [[nodiscard]] static wait_target credit(int peer, lane which) {
    wait_target target(kind::credit);
    target.value_ = static_cast<std::uint64_t>(peer);
    target.lane_ = which;
    return target;
  }

  /// Until `test(context)`; it must depend only on what polls of this rank change.
  [[nodiscard]] static wait_target predicate(bool (*test)(const void*), const void* context) {
    wait_target target(kind::predicate);
    target.subject_ = context;
    target.test_ = test;
    return target;
  }

  [[nodiscard]] kind what() const noexcept { return kind_; }
  [[nodiscard]] int peer() const noexcept { return static_cast<int>(value_); }
  [[nodiscard]] bool by_peers() const noexcept { return by_peers_; }

  /// The rank has work beside, which only polls of its own move.
  void set_polls(bool on) noexcept { polls_ = on; }
  [[nodiscard]] bool polls() const noexcept { return polls_; }

  /// Something is to be done then, whatever comes or does not (`now` of the rank); max: nothing is.
  void set_alarm(duration at) noexcept { alarm_ = at; }
  [[nodiscard]] duration alarm() const noexcept { return alarm_; }

  /// Whether the wait is over. False for credit: its waiter leaves after one idle.
  [[nodiscard]] bool ready() const noexcept {
    switch (kind_) {
      case kind::counter_zero:
        return static_cast<const std::atomic<std::uint32_t>*>(subject_)->load(
                   std::memory_order_acquire) == 0;
      case kind::word: return compare(load_word());
      case kind::credit: return false;
      case kind::predicate: return test_(subject_);
    }
    return true;
  }

 private:
  explicit wait_target(kind what) : kind_(what) {}

  [[nodiscard]] std::uint64_t load_word() const noexcept {
    return __atomic_load_n(static_cast<const std::uint64_t*>(subject_), __ATOMIC_ACQUIRE);
  }
  [[nodiscard]] bool compare(std::uint64_t seen) const noexcept {
    switch (how_) {
      case comparison::equal: return seen == value_;
      case comparison::not_equal: return seen != value_;
      case comparison::greater_equal: return seen >= value_;
    }
    return true;
  }

  kind kind_;
  comparison how_ = comparison::equal;
  lane lane_ = lane::request;
  bool by_peers_ = false;
  bool polls_ = false;
  std::uint64_t value_ = 0;
  const void* subject_ = nullptr;
  bool (*test_)(const void*) = nullptr;
  duration alarm_ = duration::max();
};

/// What a rank does when a poll found nothing: spin, yield, switch to another rank's fiber, or
/// advance virtual time. Replaceable per job; the endpoint is the default one.
class waiter {
 public:
  /// Returns when something may have changed for `rank`, however little; never blocks for ever
  /// while the target can still be reached. Called outside handlers only.
  virtual void idle(int rank, const wait_target& target, const wait_reason& reason) = 0;

  /// A wait begins in which the rank idles: however long others lasted, this one is young.
  virtual void begin_wait(int /*rank*/) {}

  /// Lets the other ranks of this process run once and returns: a rank that polls in a loop of
  /// its own must not keep them from the processor. Nothing where each rank has its own.
  virtual void yield(int /*rank*/) {}

  /// Whether somebody polls for a rank that idles until its target is reached: it need not poll
  /// first.
  [[nodiscard]] virtual bool polls_for(int /*rank*/) const noexcept { return false; }

  /// How often a rank may look at a word that peers write before it polls: more than never only
  /// where it has a processor of its own.
  [[nodiscard]] virtual int looks(int /*rank*/) const noexcept { return 0; }

 protected:
  ~waiter() = default;
};

}  // namespace upwash::conduit
