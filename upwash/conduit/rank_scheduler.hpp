// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of a process as fibers, each resumed when what it waits for has come. What comes from
// outside the process is looked for once a round, for all of them.
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

/// What ranks of a process get from other processes, and what they do when nothing is left to do.
class outside_world {
 public:
  /// Takes what has come for any rank, and wakes the ranks that it is for. How much moved.
  virtual int poll_for_all() = 0;
  /// Every rank waits and nothing came: gives the core on, for a moment.
  virtual void pause() noexcept = 0;
  /// The ranks go on after pauses: the next ones are short again.
  virtual void resumed() noexcept = 0;

 protected:
  ~outside_world() = default;
};

/// A rank is resumed in the order in which it got ready: since a message came for it (`wake`), its
/// target was seen to be reached, or it has work that only its own polls move. Messages inside the
/// process cost no look at the others; words that peers store are looked at when no rank is ready,
/// and at the latest in the round after as many turns as there are ranks.
///
/// One thread. Memory: a stack, 128 bytes and two numbers a rank.
class rank_scheduler final : public waiter {
 public:
  /// `random`: draws who goes on among the ready, instead of their order; for tests. It and
  /// `outside` outlive this.
  rank_scheduler(int first_rank, int ranks, std::size_t stack_bytes, outside_world& outside,
                 random_stream* random);

  /// Runs `body(rank)` for each rank to its end. What a body throws drops the other ranks' stacks
  /// as they are, since what they wait for may never come, and is rethrown.
  void run(function_ref<void(int)> body);

  /// Tells `by`, which outlives this, of each turn from now on, and how many others were ready when
  /// it ended. O(ranks) a turn.
  void watch(switch_watch& by) noexcept { watch_ = &by; }

  /// Something came for the rank at this place among those of the process: it goes on, if it waits.
  /// O(1).
  void wake(std::size_t local) noexcept;
  [[nodiscard]] int rank_at(std::size_t local) const noexcept {
    return first_rank_ + static_cast<int>(local);
  }

  // From inside a rank:
  void idle(int rank, const wait_target& target, const wait_reason& reason) override;
  void begin_wait(int /*rank*/) override { ++moves_; }  // it has come from another one
  void yield(int rank) override;
  [[nodiscard]] bool polls_for(int /*rank*/) const noexcept override { return true; }

 private:
  enum class state : std::uint8_t { running, ready, waiting, ended };

  struct local_rank {
    state is = state::ready;
    bool polls = false;  ///< to be resumed each round
    int rank = 0;
    const wait_target* target = nullptr;  ///< on its stack; null: none that could be looked at
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
  std::vector<std::uint32_t> ready_;  ///< a ring: each rank is in it once at most
  std::size_t ready_first_ = 0;
  std::size_t ready_count_ = 0;
  std::size_t turns_left_ = 0;  ///< of this round
  std::size_t turns_since_look_ = 0;
  std::size_t left_ = 0;             ///< ranks whose bodies have not ended
  std::uint64_t moves_ = 0;          ///< turns that went beyond the wait they began with
  std::uint32_t quiet_rounds_ = 0;   ///< in which nothing moved
  std::size_t resumed_in_vain_ = 0;  ///< ready though nothing came for them
  std::size_t next_look_ = 0;        ///< in quiet rounds: whom to resume whatever it waits for
  std::optional<function_ref<void(int)>> body_;
  std::exception_ptr failure_;
  switch_watch* watch_ = nullptr;
};

}  // namespace upwash::conduit
