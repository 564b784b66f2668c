// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Aggregation solves this problem: many small puts to one rank cost a message each. An `aggregate`
// sends them in few messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "upwash/core/global_ptr.hpp"
#include "upwash/core/request.hpp"
#include "upwash/onesided/detail/last_act.hpp"
#include "upwash/onesided/detail/packing.hpp"

namespace upwash {

class job;

/// Gathers puts to a rank of the world. Sends them when a message is full, when the next put is to
/// another region, by `flush`, and in the destructor. Puts into memory that is loaded and stored
/// are done at once, because a message would gain nothing. Memory: two messages.
/// @code
/// void fill(upwash::job& here, const upwash::region& table, int rank) {
///   upwash::aggregate puts(here, rank);
///   for (long slot = 0; slot < 100; ++slot) {
///     puts.put(table.at<long>(rank, static_cast<std::uint64_t>(slot)), slot * slot);
///   }
///   puts.flush().wait();
/// }
/// @endcode
class aggregate {
 public:
  /// Prepares puts to world rank `rank`. Local. Throws `error` (argument) if `rank` is not a rank.
  aggregate(job& here, int rank);
  /// Sends the gathered puts. The next `job.quiet()` completes them and all puts that were sent
  /// before and not flushed. Throws the errors of flush, but not while an exception unwinds the
  /// stack.
  ~aggregate() noexcept(false);
  aggregate(const aggregate&) = delete;
  aggregate& operator=(const aggregate&) = delete;

  /// Adds a put of `from`, which is copied and may be reused at once. Nonblocking. The data is
  /// visible when a later flush is complete. Two puts to the same bytes between flushes may take
  /// effect in any order. O(bytes). Throws `error` (argument) for a pointer to another rank, and in
  /// the cases in which a put of a layout does.
  template <class T>
  void put(global_ptr<T> to, std::span<const std::type_identity_t<T>> from) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(to.template as<std::byte>(), std::as_bytes(from));
  }
  /// Adds a put of one value.
  template <class T>
  void put(global_ptr<T> to, const std::type_identity_t<T>& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(to.template as<std::byte>(), std::as_bytes(std::span(&value, 1)));
  }

  /// Sends the gathered puts. Nonblocking. The request is complete when all puts since the last
  /// flush are visible at the target. The aggregate may be used again at once.
  [[nodiscard]] request flush();

  [[nodiscard]] int rank() const noexcept { return rank_; }  ///< the target, in the world
  /// Returns the number of gathered runs that are not sent. A run is one put, or several adjacent
  /// puts.
  [[nodiscard]] std::size_t gathered() const noexcept { return gathered_.runs(); }
  /// Returns the number of messages since the construction.
  [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }

 private:
  void put_bytes(global_ptr<std::byte> to, std::span<const std::byte> from);
  void send();

  job& here_;
  int rank_;
  detail::last_act at_end_;
  region_id region_;  ///< of the gathered puts
  detail::list_builder gathered_;
  std::vector<std::byte> message_;  ///< space for the next message
  request open_;                    ///< messages since the last flush
  std::uint64_t messages_ = 0;
};

}  // namespace upwash
