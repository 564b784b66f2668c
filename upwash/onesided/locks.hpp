// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Locks solve this problem: ranks must take turns with data at any rank of a team. Locks lie at any
// member and are granted first come, first served. A lock orders its holders' actions; it moves no
// data. Source: Saify 2002, chapter 5.
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

/// The method to take a lock and hand it over.
enum class lock_kind : std::uint8_t {
  /// A ticket from a counter, then looks at a second counter: by loads if the owner's memory is
  /// loaded and stored, else a get for each look. Uncontended: fetch-and-add and get; put. For
  /// locks within nodes; across nodes the looks of waiters load the owner.
  ticket,
  /// The owner keeps the queue and answers waiters in turn. Uncontended and contended: request and
  /// grant; request and acknowledgement, for which no rank waits. Each needs the owner's progress.
  server,
  /// The method of original ARMCI: tickets by loads and stores if the owner's memory is within
  /// reach, the owner's queue for all other ranks. Both share one order.
  hybrid,
  /// The queue of Mellor-Crummey and Scott, spread over the waiters: each waits for a word in its
  /// own memory, which its predecessor writes. Uncontended: swap; compare-and-swap. Contended: swap
  /// and put; put, and one more compare-and-swap if the successor has not announced itself yet. In
  /// the thesis (5.2.2) the holder sets `locked` of a late successor to true. It must become false,
  /// as for any other successor, or the successor waits forever: this code sets false.
  queue,
  /// A word that a rank swaps until it was free. A rank that fails backs off, longer each time. No
  /// order: a rank may wait while others come and go. Uncontended: swap; swap. For comparison.
  test_and_set,
  /// Anderson's array: a ticket from a counter names the slot at the owner to look at. The previous
  /// holder writes to this slot, so a hand-over disturbs one waiter only. Looks as in `ticket`.
  /// Uncontended: fetch-and-add and get; put. For comparison, within nodes.
  array,
};

/// Returns the name in knobs and reports.
[[nodiscard]] std::string_view to_string(lock_kind kind) noexcept;

/// Locks of the members of a team, the same number at each. One rank's handle; may be moved while
/// no lock is held.
///
/// Puts under a lock must be complete (waited for, or job.quiet(rank)) before unlock. After lock,
/// gets and loads see the completed operations of earlier holders. A rank that dies while it holds
/// a lock or waits ends the job, as any other rank does. Memory at each rank: 64 bytes a lock.
/// `queue` needs 64 bytes for each lock that the rank can hold. `array` needs 64 bytes more for
/// each member, because all members may wait at once. With the other kinds only the tickets of
/// ranks that wait at an owner (`server`, `hybrid`) grow with the team.
/// @code
/// void take_turns(upwash::job& job, int owner) {
///   upwash::lock_set locks(job.world(), 4, upwash::lock_kind::queue);  // four at each rank
///   {
///     const upwash::held_lock mine(locks, owner, 2);
///     // Only one rank at a time is here.
///   }
///   locks.release();
/// }
/// @endcode
class lock_set {
 public:
  lock_set();  ///< An empty set.
  /// Makes `per_rank` locks at each member, all free. Collective over `members`, blocking. A rank
  /// can hold `most_held` of them all. `per_rank`, `kind` and `most_held` are the same at all
  /// members. Messages: O(log size) a rank. Throws `error` (argument) for numbers below 0
  /// (`most_held`: below 1), and at all members if the members' values differ.
  lock_set(const team& members, int per_rank, lock_kind kind, int most_held = 64);
  ~lock_set();
  lock_set(lock_set&& other) noexcept;
  lock_set& operator=(lock_set&& other) noexcept;
  lock_set(const lock_set&) = delete;
  lock_set& operator=(const lock_set&) = delete;

  [[nodiscard]] explicit operator bool() const noexcept { return way_ != nullptr; }
  [[nodiscard]] lock_kind kind() const noexcept { return kind_; }  ///< the method of hand-over
  /// Returns the number of locks at each member.
  [[nodiscard]] int per_rank() const noexcept { return per_rank_; }

  /// Blocks until this rank holds lock `index` of `member` (a rank of the team); makes progress.
  /// Requests are served in the order in which they reach the lock (`test_and_set`: in no order).
  /// Not from a handler. Cost: O(held) and the messages of the kind. Throws `error` (argument) for
  /// no such lock, for a lock that this rank holds, and for one lock more than `most_held`.
  void lock(int member, int index, call_site site = call_site::current());
  /// Takes the lock if it is free. Returns whether it was free. Waits for the owner's answer, never
  /// for a holder; makes progress if the lock was not free. Messages as for an uncontended lock;
  /// `ticket`: get and compare-and-swap; `array`: fetch-and-add, get and compare-and-swap. Errors
  /// as `lock`.
  [[nodiscard]] bool try_lock(int member, int index, call_site site = call_site::current());
  /// Hands the lock to the longest waiter, or leaves it free. Returns when the hand-over is under
  /// way. With `queue` it waits for the tail of the queue, or for a successor that is about to
  /// announce itself. Throws `error` (argument) if this rank does not hold the lock.
  void unlock(int member, int index, call_site site = call_site::current());
  /// Returns whether this rank holds the lock. Local.
  [[nodiscard]] bool holds(int member, int index) const;

  /// Frees the memory. Collective over the team, blocking. Without this call the memory stays until
  /// the job ends. Does nothing for an empty set. Throws `error` (argument) at a rank that holds a
  /// lock.
  void release();

 private:
  struct held {
    int member = -1;
    int index = -1;
    std::uint64_t token = 0;  ///< of the method
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

/// Holds a lock during its lifetime. The set must not be moved meanwhile.
class held_lock {
 public:
  /// Takes the lock. Blocks and throws as `lock_set::lock`.
  held_lock(lock_set& of, int member, int index, call_site site = call_site::current());
  /// Unlocks and throws the errors of unlock. While an exception unwinds the stack it does not
  /// throw: the job, which has failed, reports the error at its next progress.
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
