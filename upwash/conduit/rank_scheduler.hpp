// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of a process as fibers. A fiber is resumed when the target of its wait is reached.
// Traffic from outside the process is polled once a round, for all ranks.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "upwash/base/fiber.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/base/random.hpp"
#include "upwash/conduit/switch_watch.hpp"
#include "upwash/conduit/waiting.hpp"

namespace upwash::conduit {

/// The traffic from other processes, and the idle behaviour when no work is left.
class outside_world {
 public:
  /// Takes the messages for all ranks and wakes their ranks. Returns the number of events.
  virtual int poll_for_all() = 0;
  /// Gives the core to other processes for a moment. Called when every rank waits and no message
  /// arrived.
  virtual void pause() noexcept = 0;
  /// Notes that the ranks continue after pauses: the next pauses are short again.
  virtual void resumed() noexcept = 0;

 protected:
  ~outside_world() = default;
};

/// Runs the ranks in turns.
///
/// Ranks are resumed in the order in which they became ready. A rank becomes ready when a message
/// arrives for it (`wake`), when its target is seen to be reached, or when it has work that only
/// its own polls advance. Messages inside the process need no look at the other ranks. Words that
/// peers store are looked at when no rank is ready, and at the latest in the round after as many
/// turns as there are ranks.
///
/// One thread. Memory: a stack, 128 bytes and two numbers a rank.
class rank_scheduler final : public waiter {
 public:
  /// `random` draws the next rank among the ready ranks, in place of their order; for tests.
  /// `random` and `outside` must outlive this object.
  rank_scheduler(int first_rank, int ranks, std::size_t stack_bytes, outside_world& outside,
                 random_stream* random);

  /// Runs `body(rank)` for each rank to its end. Rethrows an exception of a body. The other ranks'
  /// stacks are then dropped as they are, because the targets of their waits may never be reached.
  void run(function_ref<void(int)> body);

  /// Reports each turn to `by` from now on, with the number of other ranks that were ready at its
  /// end. `by` must outlive this object. O(ranks) a turn.
  void watch(switch_watch& by) noexcept { watch_ = &by; }

  /// Wakes a rank, by its index in the process, because something arrived for it. The rank
  /// continues if it waits. O(1).
  void wake(std::size_t local) noexcept;
  [[nodiscard]] int rank_at(std::size_t local) const noexcept {
    return first_rank_ + static_cast<int>(local);
  }

  // From inside a rank:
  void idle(int rank, const wait_target& target, const wait_reason& reason) override;
  void begin_wait(int /*rank*/) override { ++moves_; }  // resumed by another rank
  void yield(int rank) override;
  [[nodiscard]] bool polls_for(int /*rank*/) const noexcept override { return true; }

 private:
  enum class state : std::uint8_t { running, ready, waiting, ended };

  struct local_rank {
    state is = state::ready;
    bool polls = false;  ///< resumed each round
    int rank = 0;
    const wait_target* target = nullptr;  ///< on its stack; null: no target that can be checked
    rank_scheduler* home = nullptr;
    std::unique_ptr<fiber> stack;
  };

  [[nodiscard]] local_rank& at(int rank) noexcept {
    return ranks_[static_cast<std::size_t>(rank - first_rank_)];
  }
  static void enter(void* argument);
  void round();
  [[nodiscard]] bool look_at_waits() noexcept;
  void look_at_some() noexcept;
  void take_turns();
  [[nodiscard]] int ready_beside(const local_rank& but) const noexcept;
  void make_ready(local_rank& one) noexcept;
  [[nodiscard]] local_rank& next_ready() noexcept;

  outside_world& outside_;
  random_stream* random_;
  std::size_t stack_bytes_;
  int first_rank_;
  std::vector<local_rank> ranks_;
  std::vector<std::uint32_t> ready_;  ///< a ring: contains each rank at most once
  std::size_t ready_first_ = 0;
  std::size_t ready_count_ = 0;
  std::size_t turns_left_ = 0;  ///< in this round
  std::size_t turns_since_look_ = 0;
  std::size_t left_ = 0;             ///< ranks whose bodies have not ended
  std::uint64_t moves_ = 0;          ///< turns that went beyond their initial wait
  std::uint32_t quiet_rounds_ = 0;   ///< rounds without a move
  std::size_t resumed_in_vain_ = 0;  ///< ready ranks for which nothing had arrived
  std::size_t next_look_ = 0;        ///< in quiet rounds: the next rank to resume in any case
  std::optional<function_ref<void(int)>> body_;
  std::exception_ptr failure_;
  switch_watch* watch_ = nullptr;
};

}  // namespace upwash::conduit
