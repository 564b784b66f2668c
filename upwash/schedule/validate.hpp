// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Proves a schedule on a small team: every send has its receive and every receive its send,
// nothing deadlocks however few steps an executor keeps open, no two unordered steps touch the
// same bytes or slots (across ranks too), dependencies stay within the window, and each byte of
// the result is what the collective's definition says. The abstract run carries, instead of data,
// who contributed what, in order; slots hold their words.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/model/contribution.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::schedule {

using upwash::contribution;

/// Of a rank: a schedule of more is refused as one that never ends.
inline constexpr std::size_t most_validated_steps = std::size_t{1} << 16U;

/// What an element holds: the contributions that were combined, from left to right. Empty: never
/// written.
using abstract_value = std::vector<contribution>;

/// A message that a `collect` handed to the caller.
struct collected_message {
  int source = 0;
  std::vector<abstract_value> values;
  friend auto operator<=>(const collected_message&, const collected_message&) = default;
};

/// What one rank's call has of its own.
struct rank_call {
  std::array<std::vector<std::uint64_t>, 4> given{};  ///< the arrays of `facts`
  std::optional<std::uint64_t> input_bytes{};         ///< where ranks differ
  std::optional<std::uint64_t> output_bytes{};        ///< where ranks differ
  /// The rank's input lies there in its output at the start, and nowhere else.
  std::optional<std::uint64_t> in_place_at{};
  std::vector<collected_message> collected{};  ///< what must be collected, in any order
};

struct expectation {
  int ranks = 1;
  std::uint32_t element_bytes = 1;
  std::uint64_t input_bytes = 0;   ///< of each rank
  std::uint64_t output_bytes = 0;  ///< of each rank
  bool commutative = true;         ///< contributions are compared as multisets
  bool in_place = false;           ///< the output holds the input at the start; there is no input
  std::uint64_t in_place_stride = 0;  ///< rank r's input lies at r * stride of its output
  /// So many steps from the oldest unfinished one on are open at a rank; 0: max(window + 1, 32), as
  /// executors have it at least. 1: one after the other, in the order of emission.
  std::uint32_t open_steps = 0;
  /// Sends are done only when they are received, as large ones are (but for those of nothing):
  /// finds deadlocks in the window, and no races.
  bool sends_wait = false;
  bool synchronizes = false;       ///< nobody may leave before all have entered
  std::vector<rank_call> calls{};  ///< one a rank; empty: ranks differ in nothing
};

/// Runs all ranks' schedules with random interleavings drawn from `seed`, keeping only the
/// dependencies; a generator is asked for more only as an executor does it: while less than
/// `open_steps` are open, and not behind an unfinished stage.
/// `wanted(rank, element)` is what the output must hold; empty: anything. Returns the first thing
/// that is wrong, or an empty string. Memory: all steps of all ranks, and a bit for each pair of
/// them: for small teams.
[[nodiscard]] std::string validate(
    const expectation& of, function_ref<generator(int rank)> schedule_of,
    function_ref<abstract_value(int rank, std::uint64_t element)> wanted, std::uint64_t seed);

}  // namespace upwash::schedule
