// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Running one collective over and over with an algorithm of choice, and how long a call takes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/collective/call.hpp"
#include "upwash/core/team.hpp"

namespace upwash {
class region;
}

namespace upwash::tuning {

/// Not those whose time depends on what each rank sends.
[[nodiscard]] bool can_be_tuned(collective::kind of) noexcept;
/// Throws `error` (argument) for those.
void expect_tunable(collective::kind of);

/// A call as a search sees it: the problem on this team, with elements of 8 bytes where they fit,
/// else of 1. Throws `error` (argument) for collectives that cannot be tried (irregular ones).
[[nodiscard]] collective::problem problem_on(const team& among, collective::problem asked);

/// The buffers of a call and the way to make it. Used by all members of the team together.
class trial {
 public:
  /// `call` comes of problem_on. Memory: the buffers of the call. Collective.
  trial(const team& among, const collective::problem& call);
  /// Collective. Throws what ends ranks.
  ~trial() noexcept(false);
  trial(const trial&) = delete;
  trial& operator=(const trial&) = delete;

  /// One call, blocking.
  void call(std::string_view algorithm);

  /// Nanoseconds of a call, the same at all members: in virtual time of one, from when all have
  /// entered to when all have left; else of the slowest member, over `calls` calls. Where a call
  /// lets members run ahead (all with a root, and scans) a barrier separates calls, which is not
  /// counted. Of an overlapped call: what it leaves of a computation beside it. Blocking.
  [[nodiscard]] double time_ns(std::string_view algorithm, long calls);

 private:
  [[nodiscard]] collective_options options(std::string_view algorithm) const;
  [[nodiscard]] collective::call call_by(std::string_view algorithm) const;
  [[nodiscard]] collective::binding buffers() const;
  [[nodiscard]] duration time_to_compute(std::string_view algorithm);
  [[nodiscard]] double beside_ns(std::string_view algorithm, long calls);
  [[nodiscard]] double virtual_ns(std::string_view algorithm);

  const team among_;
  const collective::problem call_;
  std::unique_ptr<region> addressed_;  ///< of the buffers, in address mode single
  std::vector<std::byte> own_;
  std::span<std::byte> in_;
  std::span<std::byte> out_;
  duration computation_;  ///< beside overlapped calls, the same for all algorithms
};

}  // namespace upwash::tuning
