// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/validate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/collective/detail/drawn_call.hpp"
#include "upwash/schedule/validate.hpp"

namespace upwash::collective {

using schedule::expectation;
using schedule::rank_call;

namespace {

/// The buffers of one rank: blocks of `call.bytes`, or vectors.
rank_call buffers_of(const problem& call, int rank) {
  const family& of = call.of.facts();
  rank_call each;
  each.input_bytes = bytes_of_input(call, rank);
  each.output_bytes = bytes_of_output(call, rank);
  if (!is_in_place(call, rank) || of.output == extent::nothing) return each;
  if (of.at_root == rooted::input) {
    each.output_bytes = 0;  // its block stays in the input
  } else if (of.input == extent::one && of.output == extent::each) {
    each.in_place_at = static_cast<std::uint64_t>(rank) * call.bytes;
  } else {
    each.output_bytes = std::max(*each.input_bytes, *each.output_bytes);
    each.in_place_at = 0;
  }
  return each;
}

/// Why there is nothing to prove; empty: there is.
std::string objection_to(const selection& one, const problem& call) {
  const bool in_a_run_only = call.of.facts().told != lengths::equal;
  if (in_a_run_only && !detail::can_draw(call.of)) {
    return "lengths are known in a run only; give them to schedule::validate";
  }
  if (in_a_run_only && call.in_place && !detail::can_be_in_place(call.of)) {
    return "it has no calls in place";
  }
  return registry::objection(one, call);
}

void check(const selection& one, const problem& call) {
  const std::string objection = objection_to(one, call);
  if (objection.empty()) return;
  throw error(error_kind::argument,
              fmt::format("validate {} by {}: {}", to_string(call.of), text_of(one), objection));
}

/// Runs it as executors do, step by step, and with sends that wait.
std::string run_all_ways(const selection& one, const problem& call, const expectation& of,
                         function_ref<schedule::abstract_value(int, std::uint64_t)> wanted,
                         std::uint64_t seed) {
  const auto schedule_of = [&](int rank) { return one.schedule_of(call, rank); };
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

}  // namespace

std::string validate(const selection& one, const problem& call, std::uint64_t seed) {
  check(one, call);
  const family& facts = call.of.facts();
  if (facts.told != lengths::equal) {
    const detail::drawn_call drawn = detail::draw(call, seed);
    return run_all_ways(
        one, call, drawn.of,
        [&](int rank, std::uint64_t element) { return drawn.at(rank, element); }, seed);
  }
  expectation of;
  of.ranks = call.ranks;
  of.element_bytes = facts.combines ? call.element_bytes : 1;
  of.commutative = call.commutative;
  // A collective without data is there to wait.
  of.synchronizes = facts.input == extent::nothing && facts.output == extent::nothing;
  for (int rank = 0; rank < call.ranks; ++rank) of.calls.push_back(buffers_of(call, rank));
  const auto wanted = [&](int rank, std::uint64_t element) {
    schedule::abstract_value is;
    if (facts.definition != nullptr) facts.definition(call, rank, element, is);
    return is;
  };
  return run_all_ways(one, call, of, wanted, seed);
}

}  // namespace upwash::collective
