// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counting semaphores that lie at any rank of a team: posted from anywhere, alone or behind data,
// waited for by their owner in its own memory. What both do stays one-sided:
//
//   semaphore_set filled(job.world(), 1);                        // one at each rank
//   filled.put_and_post(place_at_next, words, 0).detach();       // at one rank
//   filled.wait(0);                                              // at the next: words are there
//   job.quiet();                                                 // what was detached is complete
//   filled.release();
//
// Between pairs, without numbers: `notifications`.
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
/// Memory at each rank: 72 bytes a semaphore. A semaphore is a count of posts that only grows and,
/// at its owner, of what was taken: nothing is reset, no post is lost.
class semaphore_set {
 public:
  semaphore_set() = default;  ///< No set.
  /// Collective over `members`, blocking. `per_rank` at each, of the value `initial`; both the same
  /// at all members. Messages: O(log size) a rank. Throws `error` (argument) for `per_rank` below
  /// 0, and at all members where they differ.
  semaphore_set(const team& members, int per_rank, std::uint64_t initial = 0);
  semaphore_set(semaphore_set&&) noexcept = default;
  semaphore_set& operator=(semaphore_set&&) noexcept = default;
  semaphore_set(const semaphore_set&) = delete;
  semaphore_set& operator=(const semaphore_set&) = delete;

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(words_); }
  [[nodiscard]] int per_rank() const noexcept { return per_rank_; }  ///< how many each member has

  /// Adds `n` to semaphore `index` of `member` (a rank of the team, also this one). Nonblocking;
  /// the request is complete when the owner can see it. What this rank put before and did not wait
  /// for may come later: `put_and_post`, or a fence, or wait first. A store where memory is loaded
  /// and stored; else one message, or the network's. Throws `error` (argument) for no such
  /// semaphore, and for `n` of 0 or above 2^62.
  [[nodiscard]] request post(int member, int index, std::uint64_t n = 1);

  /// Puts `from` and adds `n` to semaphore `index` at the rank of `to`, which is a member: who has
  /// waited for the post finds the data there. The request is complete when both are visible;
  /// `from` stays unchanged until then. Otherwise as `post`, and errors as `put`.
  template <class T>
  [[nodiscard]] request put_and_post(global_ptr<T> to,
                                     std::span<const std::type_identity_t<T>> from, int index,
                                     std::uint64_t n = 1) {
    static_assert(std::is_trivially_copyable_v<T>);
    return put_and_post_bytes(to.template as<std::byte>(), std::as_bytes(from), index, n);
  }
  /// The same behind a layout (onesided/layout.hpp), which may go at once. The post leaves when the
  /// data is there, in this rank's progress: a round trip later than that of one run. A fence
  /// meanwhile speaks for the data alone. Errors as put of a layout, too.
  template <class T>
  [[nodiscard]] request put_and_post(global_ptr<T> to,
                                     std::span<const std::type_identity_t<T>> from,
                                     const layout& laid, int index, std::uint64_t n = 1,
                                     const transfer_options& how = {}) {
    static_assert(std::is_trivially_copyable_v<T>);
    return put_and_post_laid(to.template as<std::byte>(), std::as_bytes(from), laid, index, n, how);
  }

  /// Blocks until semaphore `index` of this rank has the value `n`, and takes that; makes progress.
  /// Not from a handler. Loads of its own memory, no messages. Throws `error` (argument) as `post`.
  void wait(int index, std::uint64_t n = 1, call_site site = call_site::current());
  /// Takes `n` where they are there, and returns whether they were; makes progress where not.
  [[nodiscard]] bool try_wait(int index, std::uint64_t n = 1);
  /// What a wait would find now. No progress.
  [[nodiscard]] std::uint64_t value(int index) const;

  /// Collective over the team, blocking: frees the memory; posts of all members are complete
  /// before, and throws `error` as `free` where this rank's are not. Without it the memory stays
  /// until the job ends. Nothing for an empty set.
  void release();

 private:
  friend class notifications;
  /// `stride_bytes` from one word to the next.
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
  std::vector<std::uint64_t> left_;  ///< what was taken of each, less the initial value
};

/// A count of notices between each two members: `notify` at one, `wait_for` at the other. Memory at
/// each rank: 16 bytes a member, which each may write to without asking.
class notifications {
 public:
  notifications() = default;  ///< None.
  /// Collective over `members`, blocking. Messages: O(log size) a rank.
  explicit notifications(const team& members);

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(counts_); }

  /// As `semaphore_set::post`, to the count that `member` keeps of this rank.
  [[nodiscard]] request notify(int member, std::uint64_t n = 1);
  /// As `semaphore_set::put_and_post`: with data to the rank of `to`.
  template <class T>
  [[nodiscard]] request put_and_notify(global_ptr<T> to,
                                       std::span<const std::type_identity_t<T>> from,
                                       std::uint64_t n = 1) {
    check("put_and_notify", counts_ ? counts_.members_.member_of(to.rank()) : -1, n);
    return counts_.put_and_post(to, from, rank_, n);
  }
  /// Behind a layout.
  template <class T>
  [[nodiscard]] request put_and_notify(global_ptr<T> to,
                                       std::span<const std::type_identity_t<T>> from,
                                       const layout& laid, std::uint64_t n = 1,
                                       const transfer_options& how = {}) {
    check("put_and_notify", counts_ ? counts_.members_.member_of(to.rank()) : -1, n);
    return counts_.put_and_post(to, from, laid, rank_, n, how);
  }
  /// Blocks until `member` has notified this rank `count` times more, and takes them.
  void wait_for(int member, std::uint64_t count = 1, call_site site = call_site::current());
  /// Takes them where they are there.
  [[nodiscard]] bool try_wait_for(int member, std::uint64_t count = 1);

  /// As `semaphore_set::release`.
  void release() { counts_.release(); }

 private:
  void check(std::string_view call, int member, std::uint64_t n) const;

  semaphore_set counts_;  ///< at each member one for each
  int rank_ = -1;
};

}  // namespace upwash
