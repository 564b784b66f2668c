// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives by bytes: what the typed headers stand on, and what front ends call that learn of
// collectives, types and operators at run time. The algorithm is chosen as everywhere.
#pragma once

#include <cstdint>

#include "upwash/collective/binding.hpp"
#include "upwash/collective/options.hpp"
#include "upwash/collective/persistent.hpp"
#include "upwash/collective/problem.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash::collective {

/// What is called: the same at all members of the team.
struct call {
  /// The collective, bytes, element size, root, whether in place and whether the operator commutes;
  /// for many-to-many degree and known senders; `further` where the family has it. All else is
  /// filled in from the team and the options.
  problem what;
  collective_options how{};
  std::uint64_t kind_of_reduction = 0;  ///< names type and operator, for checked runs; 0: neither
  call_site site{};
};

/// Starts the call. Collective: called by all members of the team in one order; nonblocking.
/// `buffers`: memory of the caller's, which the executor uses until the request is complete; each
/// as long as `what.facts()` says at least, and where the call is in place one buffer that is both;
/// a reduction where the family combines. Messages, bytes and memory are those of the chosen
/// algorithm (`upwash schedule`). For each shape of call on a team one plan is kept, of
/// the 32 shapes called last. Throws `error` (argument) for a root outside the team, buffers that
/// are too short or overlap, a family that combines without a reduction, and an algorithm that does
/// not serve.
[[nodiscard]] request start(const team& among, const call& wanted, const binding& buffers);
/// The same, blocking.
void run(const team& among, const call& wanted, const binding& buffers);
/// The same, set up to be started often. Local.
[[nodiscard]] persistent prepare(const team& among, const call& wanted, const binding& buffers);

}  // namespace upwash::collective
