// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Many small puts to one rank in few messages:
//
//   aggregate puts(here, rank);
//   for (...) puts.put(table.at<long>(rank, slot), value);
//   puts.flush().wait();
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

/// Gathers puts to a rank of the world, and sends them when a message is full, when the next one is
/// to another region, by `flush`, and at its end. Puts into memory that is loaded and stored are
/// done at once: there is nothing to gain. Memory: two messages.
class aggregate {
 public:
  /// Local. Throws `error` (argument) for no rank.
  aggregate(job& here, int rank);
  /// Sends what is gathered; the next `job.quiet()` completes it, with all that was sent before and
  /// not flushed. Throws what flush throws, but not while an exception unwinds the stack.
  ~aggregate() noexcept(false);
  aggregate(const aggregate&) = delete;
  aggregate& operator=(const aggregate&) = delete;

  /// Takes a copy: `from` may be reused at once. Nonblocking. Visible when a flush behind it is
  /// complete; two puts to the same bytes between flushes may come in any order. Throws `error`
  /// (argument) for a pointer to another rank, and where a put of a layout does. O(bytes).
  template <class T>
  void put(global_ptr<T> to, std::span<const std::type_identity_t<T>> from) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(to.template as<std::byte>(), std::as_bytes(from));
  }
  /// One value.
  template <class T>
  void put(global_ptr<T> to, const std::type_identity_t<T>& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(to.template as<std::byte>(), std::as_bytes(std::span(&value, 1)));
  }

  /// Sends what is gathered. Nonblocking; the request is complete when all puts since the last
  /// flush are visible at the target. The handle may be used on at once.
  [[nodiscard]] request flush();

  [[nodiscard]] int rank() const noexcept { return rank_; }  ///< the target, in the world
  /// Runs that were gathered and not sent: puts, but that adjacent ones are one.
  [[nodiscard]] std::size_t gathered() const noexcept { return gathered_.runs(); }
  /// Messages since it was made.
  [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }

 private:
  void put_bytes(global_ptr<std::byte> to, std::span<const std::byte> from);
  void send();

  job& here_;
  int rank_;
  detail::last_act at_end_;
  region_id region_;  ///< of what is gathered
  detail::list_builder gathered_;
  std::vector<std::byte> message_;  ///< room for the next one
  request open_;                    ///< of what was sent since the last flush
  std::uint64_t messages_ = 0;
};

}  // namespace upwash
