// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Schedules for calls that may be in place, of algorithms that know of two buffers only.
#pragma once

#include <cstdint>
#include <utility>

#include "upwash/collective/problem.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective::detail {

/// Where the pieces of a call in place lie: in its one buffer.
[[nodiscard]] inline schedule::relocation relocated_by(const problem& call, int rank) noexcept {
  using schedule::buffer;
  using schedule::relocation;
  const std::uint64_t own = static_cast<std::uint64_t>(rank) * call.bytes;
  if (!is_in_place(call, rank)) return {};
  const family& of = call.of.facts();
  if (of.at_root == rooted::input) return {.output = buffer::input, .output_at = own};
  if (of.input == of.output) return {.input = buffer::output};
  return of.output == extent::each ? relocation{.input = buffer::output, .input_at = own}
                                   : relocation{.input = buffer::output, .output_at = own};
}

/// Where messages land in place: anywhere that the algorithm says, or nowhere that still has to be
/// read when the receiver enters.
enum class landing : std::uint8_t { as_it_says, not_placed };

/// Of an algorithm for gather, scatter, reduce or reduce_scatter that reads nothing of its own
/// where it has written the result already.
[[nodiscard]] inline schedule::generator in_one_buffer(const problem& call, int rank,
                                                       schedule::generator apart,
                                                       landing of = landing::as_it_says) {
  if (!call.in_place) return apart;
  schedule::relocation to = relocated_by(call, rank);
  to.asks_first = of == landing::not_placed;
  return std::move(apart).relocated(to);
}

/// Of an algorithm for all_to_all.
[[nodiscard]] inline schedule::generator from_a_copy(const problem& call,
                                                     schedule::generator apart) {
  if (!call.in_place) return apart;
  return std::move(apart).behind_a_copy(static_cast<std::uint64_t>(call.ranks) * call.bytes);
}

}  // namespace upwash::collective::detail
