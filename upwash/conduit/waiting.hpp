// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The target and the reason of a wait. All waits of the library use one function (core:
// host::wait), which polls and, when nothing moves, asks the waiter to idle.
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

  /// Waits until `*counter` is 0: an operation's outstanding stages.
  [[nodiscard]] static wait_target counter_zero(const std::atomic<std::uint32_t>& counter) {
    wait_target target(kind::counter_zero);
    target.subject_ = &counter;
    return target;
  }

  /// Waits until the aligned word, in registered memory of this rank, has the relation `how` to
  /// `value`.
  [[nodiscard]] static wait_target word(const std::uint64_t& word, comparison how,
                                        std::uint64_t value) {
    wait_target target(kind::word);
    target.subject_ = &word;
    target.how_ = how;
    target.value_ = value;
    return target;
  }

  /// Waits for a word that peers write themselves: the next look may soon find it changed.
  [[nodiscard]] static wait_target peers_word(const std::uint64_t& word, comparison how,
                                              std::uint64_t value) {
    wait_target target = wait_target::word(word, how, value);
    target.by_peers_ = true;
    return target;
  }

  /// Waits until an injection to `peer` on `which` is worth another try: one idle, then ready.
  [[nodiscard]] static wait_target credit(int peer, lane which) {
    wait_target target(kind::credit);
    target.value_ = static_cast<std::uint64_t>(peer);
    target.lane_ = which;
    return target;
  }

  /// Waits until `test(context)` is true. The result must depend only on state that polls of this
  /// rank change.
  [[nodiscard]] static wait_target predicate(bool (*test)(const void*), const void* context) {
    wait_target target(kind::predicate);
    target.subject_ = context;
    target.test_ = test;
    return target;
  }

  [[nodiscard]] kind what() const noexcept { return kind_; }
  [[nodiscard]] int peer() const noexcept { return static_cast<int>(value_); }
  [[nodiscard]] bool by_peers() const noexcept { return by_peers_; }

  /// Says whether the rank has other work, which only its own polls advance.
  void set_polls(bool on) noexcept { polls_ = on; }
  [[nodiscard]] bool polls() const noexcept { return polls_; }

  /// Sets a time (`now` of the rank) at which something must be done in any case; max: none.
  void set_alarm(duration at) noexcept { alarm_ = at; }
  [[nodiscard]] duration alarm() const noexcept { return alarm_; }

  /// Returns whether the wait is over. False for credit: its waiter leaves after one idle.
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

/// The idle behaviour of a rank after a poll without result: spin, yield, switch to another rank's
/// fiber, or advance virtual time. Replaceable per job; the endpoint is the default.
class waiter {
 public:
  /// Returns when something may have changed for `rank`, however little. Never blocks forever while
  /// the target can still be reached. Called outside handlers only.
  virtual void idle(int rank, const wait_target& target, const wait_reason& reason) = 0;

  /// Notes that a new wait begins in which the rank idles: earlier waits do not count towards its
  /// length.
  virtual void begin_wait(int /*rank*/) {}

  /// Lets the other ranks of this process run once and returns. A rank that polls in its own loop
  /// must not keep them from the processor. Does nothing if each rank has its own processor.
  virtual void yield(int /*rank*/) {}

  /// Returns whether polling is done for a rank that idles until its target is reached: the rank
  /// then need not poll first.
  [[nodiscard]] virtual bool polls_for(int /*rank*/) const noexcept { return false; }

  /// Returns how often a rank may look at a word that peers write before it polls. Above 0 only if
  /// the rank has its own processor.
  [[nodiscard]] virtual int looks(int /*rank*/) const noexcept { return 0; }

 protected:
  ~waiter() = default;
};

}  // namespace upwash::conduit
