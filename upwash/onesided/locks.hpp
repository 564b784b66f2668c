// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Locks that lie at any rank of a team, first come, first served:
//
//   lock_set locks(job.world(), 4, lock_kind::queue);   // four at each rank
//   { const held_lock mine(locks, owner, 2); ... }
//   locks.release();
//
// A lock orders what its holders do; it moves no data. Puts made under it are complete (waited for,
// or job.quiet(rank)) before unlock. After lock, gets and loads see what holders before completed.
// After Saify 2002, chapter 5.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "upwash/base/call_site.hpp"
#include "upwash/core/team.hpp"
#include "upwash/onesided/detail/last_act.hpp"

namespace upwash {

namespace detail {
class lock_way;
}

/// How a lock is taken and handed over.
enum class lock_kind : std::uint8_t {
  /// A ticket from a counter, then looks at a second one: by loads where the owner's memory is
  /// loaded and stored, else by a get a look. Uncontended: fetch-and-add and get; put. For locks
  /// within nodes; across them waiters load the owner with their looks.
  ticket,
  /// The owner keeps the queue; waiters are answered when it is their turn. Uncontended and
  /// contended: request and grant; request and acknowledgement, which nobody waits for. Each needs
  /// the owner's progress.
  server,
  /// As original ARMCI: tickets by loads and stores where the owner's memory is within reach, the
  /// owner's queue for all others. One order of both.
  hybrid,
  /// The queue of Mellor-Crummey and Scott, spread over the waiters: each waits for a word in its
  /// own memory, and is written to by the one before. Uncontended: swap; compare-and-swap.
  /// Contended: swap and put; put, and a compare-and-swap more where the next one has not told its
  /// name yet. The thesis has the holder set `locked` of such a late successor to true (5.2.2); it
  /// must become false, as for any other, or the successor waits for ever: it does here.
  queue,
  /// A word that is swapped until it was free; who fails backs off, longer each time. In no order:
  /// a rank may wait while others come and go. Uncontended: swap; swap. For comparison.
  test_and_set,
  /// Anderson's array: a ticket from a counter says which slot at the owner to look at; the holder
  /// before writes there, so that a hand-over disturbs one waiter only. Looks as `ticket`.
  /// Uncontended: fetch-and-add and get; put. For comparison, within nodes.
  array,
};

/// As knobs and reports name it.
[[nodiscard]] std::string_view to_string(lock_kind kind) noexcept;

/// Locks of the members of a team, the same number at each. One rank's handle; may be moved while
/// none is held. Memory at each rank: 64 bytes a lock, for `queue` 64 for each that it can hold,
/// for `array` 64 more for each member, which may all wait at once; with the others nothing grows
/// with the team but the tickets of those that wait at an owner (`server`, `hybrid`). A rank that
/// dies while it holds or waits ends the job, as any other does.
class lock_set {
 public:
  lock_set();  ///< No set.
  /// Collective over `members`, blocking. `per_rank` locks at each, all free; a rank can hold
  /// `most_held` of them all. All three are the same at all members. Messages: O(log size) a rank.
  /// Throws `error` (argument) for numbers below 0 (`most_held`: below 1), and at all members where
  /// they differ.
  lock_set(const team& members, int per_rank, lock_kind kind, int most_held = 64);
  ~lock_set();
  lock_set(lock_set&& other) noexcept;
  lock_set& operator=(lock_set&& other) noexcept;
  lock_set(const lock_set&) = delete;
  lock_set& operator=(const lock_set&) = delete;

  [[nodiscard]] explicit operator bool() const noexcept { return way_ != nullptr; }
  [[nodiscard]] lock_kind kind() const noexcept { return kind_; }  ///< how it hands locks over
  /// How many locks each member has.
  [[nodiscard]] int per_rank() const noexcept { return per_rank_; }

  /// Blocks until this rank holds lock `index` of `member` (a rank of the team); makes progress.
  /// Those who ask are served in the order in which their requests reach the lock (`test_and_set`:
  /// in none). Not from a handler. Throws `error` (argument) for no such lock, one that this rank
  /// holds, and one more than `most_held`. O(held) beside the messages that the kind says.
  void lock(int member, int index, call_site site = call_site::current());
  /// Takes it where it is free and returns whether it was; waits for the answer of the owner, never
  /// for a holder; makes progress where it was not. Errors as `lock`. Messages as an uncontended
  /// lock; `ticket`: get and compare-and-swap; `array`: fetch-and-add, get and compare-and-swap.
  [[nodiscard]] bool try_lock(int member, int index, call_site site = call_site::current());
  /// Hands it to the one who waits longest, or leaves it free. Returns when that is under way; with
  /// `queue` it waits for the tail of the queue, or for a successor that is about to tell its name.
  /// Throws `error` (argument) where this rank does not hold it.
  void unlock(int member, int index, call_site site = call_site::current());
  /// Whether this rank holds it. Local.
  [[nodiscard]] bool holds(int member, int index) const;

  /// Collective over the team, blocking: frees the memory. Without it that stays until the job
  /// ends. Throws `error` (argument) at a rank that holds any. Nothing for an empty set.
  void release();

 private:
  struct held {
    int member = -1;
    int index = -1;
    std::uint64_t token = 0;  ///< of the way
  };
  void check_place(std::string_view call, int member, int index) const;
  void check_free(std::string_view call, int member, int index) const;

  std::unique_ptr<detail::lock_way> way_;
  team members_;
  lock_kind kind_ = lock_kind::queue;
  int per_rank_ = 0;
  int most_held_ = 0;
  std::vector<held> held_;
};

/// Holds a lock while it lives. The set stays where it is meanwhile.
class held_lock {
 public:
  /// Blocks and throws as `lock_set::lock`.
  held_lock(lock_set& of, int member, int index, call_site site = call_site::current());
  /// Throws what unlock throws; while an exception unwinds the stack it keeps that to itself, and
  /// the job, which has failed, says so at its next progress.
  ~held_lock() noexcept(false);
  held_lock(const held_lock&) = delete;
  held_lock& operator=(const held_lock&) = delete;

 private:
  lock_set& of_;
  int member_;
  int index_;
  call_site site_;
  detail::last_act at_end_;
};

}  // namespace upwash
