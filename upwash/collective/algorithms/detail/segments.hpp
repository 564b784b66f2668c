// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A vector that is sent in segments, one behind the other: rounds that repeat, but for the last
// where it is shorter.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>

#include "upwash/schedule/script.hpp"

namespace upwash::collective::detail {

/// How a vector is cut. One segment at least, of no bytes where there are none.
struct cut {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t segment_bytes = 1;

  /// `each` 0: one segment.
  [[nodiscard]] static constexpr cut into(std::uint64_t bytes, std::uint64_t each) noexcept {
    return {.bytes = bytes, .segment_bytes = each == 0 ? std::max<std::uint64_t>(bytes, 1) : each};
  }
  [[nodiscard]] constexpr std::uint64_t whole_segments() const noexcept {
    return bytes / segment_bytes;
  }
  [[nodiscard]] constexpr std::uint64_t segments() const noexcept {
    const bool one_shorter = bytes % segment_bytes != 0 || bytes == 0;
    return whole_segments() + (one_shorter ? 1 : 0);
  }
  [[nodiscard]] constexpr schedule::piece segment(schedule::buffer of,
                                                  std::uint64_t which) const noexcept {
    const std::uint64_t first = which * segment_bytes;
    return {of, begin + first, std::min(segment_bytes, bytes - first)};
  }
};

/// Goes through the segments:
///
///   segments each(out, how);
///   while (co_await each.next()) { ... each.now() ... }
class segments {
 public:
  struct repeating {
    bool at_all = true;
    std::uint64_t from = 0;      ///< as of `rounds`
    std::uint32_t edges = 1;     ///< as of `rounds`
    std::uint64_t together = 1;  ///< segments a round
  };

  segments(schedule::script& of, const cut& how, const repeating& as) noexcept
      : rounds_((how.segments() + as.together - 1) / as.together),
        whole_(of, as.at_all ? how.whole_segments() / as.together : 0, as.from, as.edges) {}
  segments(schedule::script& of, const cut& how) noexcept : segments(of, how, repeating{}) {}

  struct turn {
    segments& of;
    schedule::rounds::turn whole;
    [[nodiscard]] bool await_ready() const noexcept { return whole.await_ready(); }
    void await_suspend(std::coroutine_handle<> here) const noexcept { whole.await_suspend(here); }
    [[nodiscard]] bool await_resume() const noexcept {
      return whole.await_resume() || of.whole_.now() < of.rounds_;
    }
  };
  /// Awaited: whether there is another round, of a segment unless `together` says more.
  [[nodiscard]] turn next() noexcept { return {*this, whole_.next()}; }
  /// The round's number.
  [[nodiscard]] std::uint64_t now() const noexcept { return whole_.now(); }

 private:
  std::uint64_t rounds_;
  schedule::rounds whole_;
};

}  // namespace upwash::collective::detail
