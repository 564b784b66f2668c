// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the composition root, or a layer that chooses, gives a job's collectives.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "upwash/collective/adapt.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/team.hpp"
#include "upwash/model/transfer.hpp"

namespace upwash::collective {

struct problem;
class registry;
class selector;
class tagged_messages;

/// What the composition root gives a job's collectives.
struct installation {
  const registry* algorithms = nullptr;  ///< outlives the job; null: every rank makes its own
  selector* chooses = nullptr;  ///< outlives the job; null: the first algorithm that serves
  /// COLLECTIVE=NAME[:key=value,...][;...]: algorithms forced for all calls that they can
  /// serve. Rank 0's counts.
  std::string_view forced{};
  bool tells_choices = false;            ///< in lines that are seen at any log level
  adaptation adapts = adaptation::none;  ///< rank 0's
  tagged_messages* tagged = nullptr;     ///< outlives the job; null: mechanism matched is refused
  /// For all calls that name no mechanism; the same at all ranks.
  std::optional<mechanism> transfer{};
};

/// Called by the composition root on every rank when the job starts: collectives on it may then use
/// memory that the members share. Collective, blocking. Throws `error` (configuration) for forced
/// algorithms that do not exist.
void install(job& here, const installation& with);

/// The largest edge that travels eagerly in such calls where nobody asks for a size: what the job's
/// selector says (selector.hpp). Local.
[[nodiscard]] std::uint64_t usual_eager_bytes(const team& among, const problem& call);

/// Says in the call how its members lie on nodes, and what scratch those of one share. Local.
void tell_nodes(const team& among, problem& call);

/// Who chooses from now on; returns who did. What was chosen for known shapes of calls is
/// forgotten. `chooses` outlives its use; null: the first algorithm that serves. Called by all
/// ranks between the same calls, with selectors that agree; local.
selector* set_selector(job& here, selector* chooses);

}  // namespace upwash::collective
