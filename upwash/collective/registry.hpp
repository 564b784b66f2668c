// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of algorithms: each states its collective, parameters, requirements and source, and
// makes the schedule of any rank. The one place that names them all is `add_algorithms`.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/collective/problem.hpp"
#include "upwash/model/choice.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/lower.hpp"

namespace upwash::collective {

struct algorithm {
  kind of = kind::barrier;
  model::choice is;
  schedule::generator (*make)(const problem& call, const model::values& with, int rank) = nullptr;
  /// Returns why these parameter values cannot serve the call, beyond the requirements of the row.
  /// An empty text means that they can. Null if the requirements are complete.
  std::string (*objection)(const problem& call, const model::values& with) = nullptr;
  /// Makes the schedule that is priced, for algorithms with a schedule that depends on facts known
  /// only in a run. Null if `make` gives the priced schedule.
  schedule::generator (*priced_as)(const problem& call, const model::values& with,
                                   int rank) = nullptr;
};

/// An algorithm with values for its parameters.
struct selection {
  const algorithm* chosen = nullptr;
  model::values with{};
  /// The largest eager edge. If there is no value, problem::eager_bytes holds.
  std::optional<std::uint64_t> eager_bytes{};

  friend bool operator==(const selection&, const selection&) = default;
  [[nodiscard]] schedule::generator schedule_of(const problem& call, int rank) const {
    return chosen->make(call, with, rank);
  }
  /// Returns the schedule by which this selection is priced (algorithm::priced_as).
  [[nodiscard]] schedule::generator priced_schedule_of(const problem& call, int rank) const {
    return (chosen->priced_as != nullptr ? chosen->priced_as : chosen->make)(call, with, rank);
  }
};

/// Returns NAME[:key=value,...], as `registry::named` reads it.
[[nodiscard]] std::string text_of(const selection& one);

/// Returns the transfer rules of the call's edges under that selection.
[[nodiscard]] schedule::transfer_rules rules_of(const selection& one, const problem& call);

class registry {
 public:
  void add(const algorithm& one);

  /// Returns the collective of that name: one of upwash, or one with algorithms in this registry.
  /// Throws `error` (argument) for an unknown name, with the known names and the nearest one.
  [[nodiscard]] kind kind_named(std::string_view name) const;

  /// Returns the algorithms of a collective, in the order in which they were added.
  [[nodiscard]] std::vector<const algorithm*> of(kind what) const;

  /// Reads NAME[:key=value,...]. Every algorithm has the key eager, the largest eager edge. Throws
  /// `error` (argument) for an unknown name, with the known names and the nearest one, or for a bad
  /// value.
  [[nodiscard]] selection named(kind what, std::string_view text) const;

  /// Returns why the selection cannot serve the call. An empty text means that it can.
  [[nodiscard]] static std::string objection(const selection& to, const problem& call);

  /// Returns the requirements of the algorithm in words. An empty text means that it has none.
  [[nodiscard]] static std::string requirements_of(const algorithm& one);

 private:
  std::vector<algorithm> all_;
};

/// Adds every algorithm of this folder.
void add_algorithms(registry& to);

}  // namespace upwash::collective
