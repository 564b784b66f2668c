// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs one collective repeatedly with a given algorithm, and measures the time of a call.
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

/// Returns whether a collective can be tuned. False if its time depends on the messages of each
/// rank.
[[nodiscard]] bool can_be_tuned(collective::kind of) noexcept;
/// Throws `error` (argument) if a collective cannot be tuned.
void expect_tunable(collective::kind of);

/// Returns the problem of a trial on this team, with elements of 8 bytes if they fit, otherwise of
/// 1. Throws `error` (argument) for collectives that cannot be tuned (irregular ones).
[[nodiscard]] collective::problem problem_on(const team& among, collective::problem asked);

/// The buffers of a call, and the way to make it. All members of the team use it together.
class trial {
 public:
  /// `call`: from problem_on. Memory: the buffers of the call. Collective.
  trial(const team& among, const collective::problem& call);
  /// Collective. Rethrows exceptions that end ranks.
  ~trial() noexcept(false);
  trial(const trial&) = delete;
  trial& operator=(const trial&) = delete;

  /// Makes one call. Blocking, collective.
  void call(std::string_view algorithm);

  /// Returns the nanoseconds of a call, the same at all members. In virtual time it measures one
  /// call, from the time at which all have entered to the time at which all have left. Otherwise it
  /// takes the slowest member, over `calls` calls.
  ///
  /// If a call lets members run ahead (all calls with a root, and scans), a barrier separates the
  /// calls and is not counted. For an overlapped call: the time that the call adds to a
  /// simultaneous computation. Blocking, collective.
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
  duration computation_;  ///< simultaneous with overlapped calls, the same for all algorithms
};

}  // namespace upwash::tuning
