// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Semaphores solve this problem: a rank wants to know when its data has arrived from others.
// Counting semaphores lie at any rank of a team. Any rank posts them, alone or after data; the
// owner waits in its own memory. Both sides stay one-sided. `notifications` counts between pairs,
// without indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "upwash/core/global_ptr.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"
#include "upwash/onesided/layout.hpp"
#include "upwash/onesided/transfer.hpp"

namespace upwash {

/// Semaphores of the members of a team, the same number at each. One rank's handle; may be moved.
/// Memory at each rank: 72 bytes a semaphore. A semaphore is a count of posts that only grows; its
/// owner also counts the units taken. Nothing is reset, so no post is lost.
/// @code
/// void pass_on(upwash::job& job, upwash::global_ptr<int> next, std::span<const int> words) {
///   upwash::semaphore_set filled(job.world(), 1);  // one at each rank
///   filled.put_and_post(next, words, 0).detach();  // at the rank of `next`
///   filled.wait(0);  // Now the words of the predecessor are here.
///   job.quiet();     // Now the detached operation is complete.
///   filled.release();
/// }
/// @endcode
class semaphore_set {
 public:
  semaphore_set() = default;  ///< An empty set.
  /// Makes `per_rank` semaphores at each member, of the value `initial`. Both arguments are the
  /// same at all members. Collective over `members`, blocking. Messages: O(log size) a rank. Throws
  /// `error` (argument) for `per_rank` below 0, and at all members if their values differ.
  semaphore_set(const team& members, int per_rank, std::uint64_t initial = 0);
  semaphore_set(semaphore_set&&) noexcept = default;
  semaphore_set& operator=(semaphore_set&&) noexcept = default;
  semaphore_set(const semaphore_set&) = delete;
  semaphore_set& operator=(const semaphore_set&) = delete;

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(words_); }
  [[nodiscard]] int per_rank() const noexcept { return per_rank_; }  ///< semaphores at each member

  /// Adds `n` to semaphore `index` of `member` (a rank of the team, also this one). Nonblocking.
  /// The request is complete when the owner can see the addition. Earlier puts of this rank that
  /// are not complete may arrive later: use `put_and_post`, or a fence, or wait first. Cost: a
  /// store if memory is loaded and stored; else one message, or one operation of the network.
  /// Throws `error` (argument) for no such semaphore, and for `n` of 0 or above 2^62.
  [[nodiscard]] request post(int member, int index, std::uint64_t n = 1);

  /// Puts `from` and then adds `n` to semaphore `index` at the rank of `to`, which is a member. A
  /// rank that has waited for the post finds the data there. `from` must stay unchanged until the
  /// request is complete. The request is complete when both are visible. Otherwise as `post`;
  /// errors also as `put`.
  template <class T>
  [[nodiscard]] request put_and_post(global_ptr<T> to,
                                     std::span<const std::type_identity_t<T>> from, int index,
                                     std::uint64_t n = 1) {
    static_assert(std::is_trivially_copyable_v<T>);
    return put_and_post_bytes(to.template as<std::byte>(), std::as_bytes(from), index, n);
  }
  /// Puts `from` by a layout (onesided/layout.hpp) and then posts. The layout may be destroyed at
  /// once. This rank's progress sends the post when the data is there: a round trip later than for
  /// one run. A fence meanwhile covers the data only. Errors also as put of a layout.
  template <class T>
  [[nodiscard]] request put_and_post(global_ptr<T> to,
                                     std::span<const std::type_identity_t<T>> from,
                                     const layout& laid, int index, std::uint64_t n = 1,
                                     const transfer_options& how = {}) {
    static_assert(std::is_trivially_copyable_v<T>);
    return put_and_post_laid(to.template as<std::byte>(), std::as_bytes(from), laid, index, n, how);
  }

  /// Blocks until semaphore `index` of this rank has at least the value `n`, and takes `n`. Makes
  /// progress. Not from a handler. Cost: loads of own memory, no messages. Throws `error`
  /// (argument) as `post`.
  void wait(int index, std::uint64_t n = 1, call_site site = call_site::current());
  /// Takes `n` if the value suffices. Returns whether it did; makes progress if not.
  [[nodiscard]] bool try_wait(int index, std::uint64_t n = 1);
  /// Returns the value that a wait would find now. Makes no progress.
  [[nodiscard]] std::uint64_t value(int index) const;

  /// Frees the memory. Collective over the team, blocking. The posts of all members must be
  /// complete; throws `error` as `free` if this rank's are not. Without this call the memory stays
  /// until the job ends. Does nothing for an empty set.
  void release();

 private:
  friend class notifications;
  /// `stride_bytes`: distance from one word to the next.
  semaphore_set(const team& members, int per_rank, std::uint64_t initial, std::size_t stride_bytes);

  request put_and_post_bytes(global_ptr<std::byte> to, std::span<const std::byte> from, int index,
                             std::uint64_t n);
  request put_and_post_laid(global_ptr<std::byte> to, std::span<const std::byte> from,
                            const layout& laid, int index, std::uint64_t n,
                            const transfer_options& how);
  [[nodiscard]] global_ptr<std::uint64_t> word(int member, int index) const;
  [[nodiscard]] const std::uint64_t& own_word(int index) const;
  void check(std::string_view call, int member, int index, std::uint64_t n) const;

  team members_;
  region words_;
  std::size_t stride_ = 64;
  int per_rank_ = 0;
  std::vector<std::uint64_t> left_;  ///< units taken of each, less the initial value
};

/// A count of notifications for each ordered pair of members: `notify` at one, `wait_for` at the
/// other. Memory at each rank: 16 bytes a member, which each member may write without asking.
class notifications {
 public:
  notifications() = default;  ///< An empty object.
  /// Makes the counts. Collective over `members`, blocking. Messages: O(log size) a rank.
  explicit notifications(const team& members);

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(counts_); }

  /// Adds `n` to the count that `member` keeps for this rank. Otherwise as `semaphore_set::post`.
  [[nodiscard]] request notify(int member, std::uint64_t n = 1);
  /// Puts data at the rank of `to` and then notifies that rank. Otherwise as
  /// `semaphore_set::put_and_post`.
  template <class T>
  [[nodiscard]] request put_and_notify(global_ptr<T> to,
                                       std::span<const std::type_identity_t<T>> from,
                                       std::uint64_t n = 1) {
    check("put_and_notify", counts_ ? counts_.members_.member_of(to.rank()) : -1, n);
    return counts_.put_and_post(to, from, rank_, n);
  }
  /// Puts data by a layout and then notifies.
  template <class T>
  [[nodiscard]] request put_and_notify(global_ptr<T> to,
                                       std::span<const std::type_identity_t<T>> from,
                                       const layout& laid, std::uint64_t n = 1,
                                       const transfer_options& how = {}) {
    check("put_and_notify", counts_ ? counts_.members_.member_of(to.rank()) : -1, n);
    return counts_.put_and_post(to, from, laid, rank_, n, how);
  }
  /// Blocks until `member` has notified this rank `count` times more, and takes these
  /// notifications.
  void wait_for(int member, std::uint64_t count = 1, call_site site = call_site::current());
  /// Takes `count` notifications of `member` if they have arrived. Returns whether they had.
  [[nodiscard]] bool try_wait_for(int member, std::uint64_t count = 1);

  /// Frees the memory, as `semaphore_set::release`.
  void release() { counts_.release(); }

 private:
  void check(std::string_view call, int member, std::uint64_t n) const;

  semaphore_set counts_;  ///< at each member, one for each member
  int rank_ = -1;
};

}  // namespace upwash
