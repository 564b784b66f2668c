// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Proves a schedule on a small team. Every send has its receive and every receive its send. Nothing
// deadlocks, however few steps an executor keeps open. No two unordered steps touch the same bytes
// or slots, across ranks too. Dependencies stay within the window. Each byte of the result matches
// the definition of the collective. The abstract run carries ordered contributors instead of data.
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

/// Limit of a rank's steps: a longer schedule is refused as one that never ends.
inline constexpr std::size_t most_validated_steps = std::size_t{1} << 16U;

/// The content of an element: the combined contributions, from left to right. Empty: never written.
using abstract_value = std::vector<contribution>;

/// A message that a `collect` handed to the caller.
struct collected_message {
  int source = 0;
  std::vector<abstract_value> values;
  friend auto operator<=>(const collected_message&, const collected_message&) = default;
};

/// The data of one rank's call.
struct rank_call {
  std::array<std::vector<std::uint64_t>, 4> given{};  ///< the arrays of `facts`
  std::optional<std::uint64_t> input_bytes{};         ///< if ranks differ
  std::optional<std::uint64_t> output_bytes{};        ///< if ranks differ
  /// Offset of the rank's input in its output at the start; there is no other input.
  std::optional<std::uint64_t> in_place_at{};
  std::vector<collected_message> collected{};  ///< the expected collected messages, in any order
};

struct expectation {
  int ranks = 1;
  std::uint32_t element_bytes = 1;
  std::uint64_t input_bytes = 0;   ///< of each rank
  std::uint64_t output_bytes = 0;  ///< of each rank
  bool commutative = true;         ///< contributions are compared as multisets
  bool in_place = false;           ///< the output holds the input at the start; there is no input
  std::uint64_t in_place_stride = 0;  ///< rank r's input lies at r * stride of its output
  /// Number of steps that are open at a rank, from the oldest incomplete one on. 0: max(window + 1,
  /// 32), the minimum of executors. 1: one after the other, in the order of emission.
  std::uint32_t open_steps = 0;
  /// Sends complete only when they are received, as large ones do (except those without data).
  /// Finds deadlocks in the window, but no races.
  bool sends_wait = false;
  bool synchronizes = false;       ///< no rank may leave before all have entered
  std::vector<rank_call> calls{};  ///< one for each rank; empty: ranks do not differ
};

/// Runs all ranks' schedules with random interleavings drawn from `seed`, obeying only the
/// dependencies. A generator is asked for steps as an executor asks: while fewer than `open_steps`
/// are open, and not after an incomplete stage. `wanted(rank, element)` is the required content of
/// the output; empty: any content. Returns the first error, or an empty string. Memory: all steps
/// of all ranks, and a bit for each pair of them: for small teams.
[[nodiscard]] std::string validate(
    const expectation& of, function_ref<generator(int rank)> schedule_of,
    function_ref<abstract_value(int rank, std::uint64_t element)> wanted, std::uint64_t seed);

}  // namespace upwash::schedule
