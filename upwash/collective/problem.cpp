// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/problem.hpp"

#include <algorithm>
#include <bit>

namespace upwash::collective {
namespace {

/// Of a message whose length nobody has told yet: combining and sending apart are then both within
/// a small factor of the better one.
constexpr std::uint64_t assumed_bytes = 256;

/// All but the three leading bits.
std::uint64_t low_bits(std::uint64_t value) noexcept {
  constexpr int kept = 3;
  const int dropped = std::max(0, static_cast<int>(std::bit_width(value)) - kept);
  return (std::uint64_t{1} << dropped) - 1;
}

std::uint64_t least_bytes(const problem& call) noexcept {
  std::uint64_t bytes = call.bytes & ~low_bits(call.bytes);
  // What travels eagerly does not stand for what does not.
  if (call.bytes > call.eager_bytes) bytes = std::max(bytes, call.eager_bytes + 1);
  // As the call: whole elements.
  if (call.bytes % call.element_bytes == 0) {
    bytes += (call.element_bytes - bytes % call.element_bytes) % call.element_bytes;
  }
  return bytes;
}

std::uint64_t most_bytes(const problem& call) noexcept {
  std::uint64_t bytes = call.bytes | low_bits(call.bytes);
  if (call.bytes <= call.eager_bytes) bytes = std::min(bytes, call.eager_bytes);
  if (call.bytes % call.element_bytes == 0) bytes -= bytes % call.element_bytes;
  return bytes;
}

std::uint64_t bytes_of(extent what, const problem& call) noexcept {
  switch (what) {
    case extent::nothing: return 0;
    case extent::one: return call.bytes;
    case extent::each: return static_cast<std::uint64_t>(call.ranks) * call.bytes;
  }
  return 0;
}

}  // namespace

bool is_in_place(const problem& call, int rank) noexcept {
  return call.in_place && (!is_rooted(call.of) || rank == call.root);
}

std::uint64_t bytes_of_input(const problem& call, int rank) noexcept {
  const family& of = call.of.facts();
  return of.at_root == rooted::input && rank != call.root ? 0 : bytes_of(of.input, call);
}

std::uint64_t bytes_of_output(const problem& call, int rank) noexcept {
  const family& of = call.of.facts();
  return of.at_root == rooted::output && rank != call.root ? 0 : bytes_of(of.output, call);
}

problem representative_of(problem call, int ranks_of_node, end_of_class end) noexcept {
  const bool told_by_nobody =
      call.of == kind::all_to_all_v || (is_uneven(call.of) && is_rooted(call.of));
  if (told_by_nobody && call.bytes == 0) {
    call.bytes = assumed_bytes;
  } else {
    call.bytes = end == end_of_class::least ? least_bytes(call) : most_bytes(call);
  }
  call.degree = static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(call.degree, 0))));
  call.root %= ranks_of_node;
  call.label = {};
  return call;
}

}  // namespace upwash::collective
