// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives on bytes. The typed headers are built on them. Front ends call them if they learn
// collective, type and operator at run time. The algorithm is chosen as for typed calls.
#pragma once

#include <cstdint>

#include "upwash/collective/binding.hpp"
#include "upwash/collective/options.hpp"
#include "upwash/collective/persistent.hpp"
#include "upwash/collective/problem.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash::collective {

/// The description of a call. It is the same at all members of the team.
struct call {
  /// The caller sets the collective, bytes, element size, root, whether the call is in place and
  /// whether the operator commutes. For many-to-many it sets degree and known senders, and
  /// `further` if the family has it. All other fields are filled in from the team and the options.
  problem what;
  collective_options how{};
  std::uint64_t kind_of_reduction = 0;  ///< number of type and operator, for checked runs; 0: none
  call_site site{};
};

/// Starts the call. All members of the team call it in one order. Nonblocking, collective.
///
/// `buffers` is memory of the caller; the executor uses it until the request is complete. Each
/// buffer has at least the length that `wanted.what.facts()` demands. A call in place has one
/// buffer for input and output. A family that combines needs a reduction. Messages, bytes and
/// memory are those of the chosen algorithm (`upwash schedule`). The team keeps one plan for each
/// shape of call, for the 32 most recently called shapes. Throws `error` (argument) for a root
/// outside the team, for buffers that are too short or overlap, for a missing reduction, and for an
/// algorithm that does not serve the call.
[[nodiscard]] request start(const team& among, const call& wanted, const binding& buffers);
/// Blocking form of the call above.
void run(const team& among, const call& wanted, const binding& buffers);
/// Persistent form of the call above, to be started often. Local.
[[nodiscard]] persistent prepare(const team& among, const call& wanted, const binding& buffers);

}  // namespace upwash::collective
