// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Installs the collectives of a job, for the composition root and for layers that choose
// algorithms.
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

/// The parts of a job's collectives, which the composition root provides.
struct installation {
  const registry* algorithms = nullptr;  ///< outlives the job; null: every rank makes its own
  selector* chooses = nullptr;  ///< outlives the job; null: the first algorithm that serves
  /// COLLECTIVE=NAME[:key=value,...][;...]: forces algorithms for all calls that they can serve.
  /// The value of rank 0 is used.
  std::string_view forced{};
  bool tells_choices = false;            ///< logs choices at every log level
  adaptation adapts = adaptation::none;  ///< the value of rank 0 is used
  tagged_messages* tagged = nullptr;     ///< outlives the job; null: mechanism matched is refused
  /// The mechanism of all calls that name none; the same at all ranks.
  std::optional<mechanism> transfer{};
};

/// Installs the collectives. The composition root calls it on every rank when the job starts.
/// Collectives of the job may then use memory that the members share. Collective, blocking. Throws
/// `error` (configuration) for forced algorithms that do not exist.
void install(job& here, const installation& with);

/// Returns the largest eager edge of calls like `call` if no size is asked for, from the job's
/// selector (selector.hpp). Local.
[[nodiscard]] std::uint64_t usual_eager_bytes(const team& among, const problem& call);

/// Stores in the call the layout of its members on nodes and the scratch that the members of a node
/// share. Local.
void tell_nodes(const team& among, problem& call);

/// Sets the job's selector and returns the previous one. Forgets the choices for known shapes of
/// calls. `chooses` outlives its use; null: the first algorithm that serves. All ranks call it
/// between the same two collective calls, with selectors that agree. Local.
selector* set_selector(job& here, selector* chooses);

}  // namespace upwash::collective
