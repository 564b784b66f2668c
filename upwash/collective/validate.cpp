// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/validate.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/schedule/validate.hpp"

namespace upwash::collective {

using schedule::abstract_value;
using schedule::contribution;
using schedule::expectation;
using schedule::rank_call;

namespace {

std::uint64_t wide(int number) noexcept { return static_cast<std::uint64_t>(number); }

/// The buffers of one rank: blocks of `call.bytes`, or vectors.
rank_call buffers_of(const problem& call, int rank) {
  const std::uint64_t all = wide(call.ranks) * call.bytes;
  const std::uint64_t own = wide(rank) * call.bytes;
  const bool at_root = rank == call.root;
  rank_call each;
  each.input_bytes = each.output_bytes = call.bytes;
  switch (call.what) {
    case kind::barrier: each.input_bytes = each.output_bytes = 0; break;
    case kind::gather:
      each.output_bytes = at_root ? all : 0;
      if (at_root && call.in_place) each.in_place_at = own;
      break;
    case kind::scatter:
      each.input_bytes = at_root ? all : 0;
      if (at_root && call.in_place) each.output_bytes = 0;
      break;
    case kind::reduce:
      each.output_bytes = at_root ? call.bytes : 0;
      if (at_root && call.in_place) each.in_place_at = 0;
      break;
    case kind::all_gather:
      each.output_bytes = all;
      if (call.in_place) each.in_place_at = own;
      break;
    case kind::all_to_all:
      each.input_bytes = each.output_bytes = all;
      if (call.in_place) each.in_place_at = 0;
      break;
    case kind::reduce_scatter:
      each.input_bytes = all;
      if (call.in_place) each.output_bytes = all;
      if (call.in_place) each.in_place_at = 0;
      break;
    default:
      if (call.in_place) each.in_place_at = 0;
  }
  return each;
}

abstract_value of_ranks_below(int ranks, std::uint64_t element) {
  abstract_value value;
  for (int r = 0; r < ranks; ++r) value.push_back({r, static_cast<std::uint32_t>(element)});
  return value;
}

abstract_value of_rank(std::uint64_t rank, std::uint64_t element) {
  return {contribution{static_cast<int>(rank), static_cast<std::uint32_t>(element)}};
}

/// Of what is compared: where nothing is combined, bytes.
std::uint32_t element_bytes(const problem& call) noexcept {
  switch (call.what) {
    case kind::reduce:
    case kind::all_reduce:
    case kind::reduce_scatter:
    case kind::scan:
    case kind::exclusive_scan: return call.element_bytes;
    default: return 1;
  }
}

/// What an element of a rank's output must be; empty: whatever it is.
abstract_value definition(const problem& call, int rank, std::uint64_t element) {
  const std::uint64_t each = call.bytes / element_bytes(call);
  switch (call.what) {
    case kind::broadcast: return of_rank(wide(call.root), element);
    case kind::scatter: return of_rank(wide(call.root), wide(rank) * each + element);
    case kind::gather:
    case kind::all_gather: return of_rank(element / each, element % each);
    case kind::all_to_all: return of_rank(element / each, wide(rank) * each + element % each);
    case kind::reduce:
    case kind::all_reduce: return of_ranks_below(call.ranks, element);
    case kind::reduce_scatter:
      if (!call.in_place) return of_ranks_below(call.ranks, wide(rank) * each + element);
      // Other blocks than the own may be anything.
      return element / each == wide(rank) ? of_ranks_below(call.ranks, element) : abstract_value{};
    case kind::scan: return of_ranks_below(rank + 1, element);
    case kind::exclusive_scan: return of_ranks_below(rank, element);
    default: return {};
  }
}

void check(const selection& one, const problem& call) {
  const bool in_a_run_only = is_uneven(call.what) || call.what == kind::all_to_all_v ||
                             call.what == kind::many_to_many ||
                             call.what == kind::many_to_many_multicast;
  const std::string objection =
      in_a_run_only ? "lengths are known in a run only; give them to schedule::validate"
                    : registry::objection(one, call);
  if (objection.empty()) return;
  throw error(error_kind::argument,
              fmt::format("validate {} by {}: {}", to_string(call.what), text_of(one), objection));
}

}  // namespace

std::string validate(const selection& one, const problem& call, std::uint64_t seed) {
  check(one, call);
  expectation of;
  of.ranks = call.ranks;
  of.element_bytes = element_bytes(call);
  of.commutative = call.commutative;
  of.synchronizes = call.what == kind::barrier;
  for (int rank = 0; rank < call.ranks; ++rank) of.calls.push_back(buffers_of(call, rank));
  const auto schedule_of = [&](int rank) { return one.schedule_of(call, rank); };
  const auto wanted = [&](int rank, std::uint64_t element) {
    return definition(call, rank, element);
  };
  expectation narrow = of;
  narrow.open_steps = 1;
  expectation waiting = of;
  waiting.sends_wait = true;
  for (const expectation& each : {of, narrow, waiting}) {
    // Without edges apart messages in the shape of meshes need more than one open step.
    const schedule::needs wants = schedule_of(0).wants();
    const bool step_by_step = wants.edges_apart || wants.counters != 0;
    if (each.open_steps == 1 && !step_by_step) continue;
    std::string wrong = schedule::validate(each, schedule_of, wanted, seed);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace upwash::collective
