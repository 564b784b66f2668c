// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tuner of the program's own: it sees the table of what each candidate of a call should cost,
// changes it, and the cheapest row runs (as NCCL's tuner plug-ins do).
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "upwash/collective/candidates.hpp"
#include "upwash/collective/selector.hpp"

namespace upwash::tuning {

/// One candidate that can serve the call.
struct cost_row {
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr double unknown = 1e18;  ///< no price: behind all others, but allowed

  collective::selection what;
  std::string algorithm;  ///< its text, NAME[:key=value,...]
  double ns = unknown;    ///< predicted; `never`: not allowed
};

/// Derive from it, and install it by collective::set_selector. What `edit` does may depend only on
/// what all members of the team see alike.
class cost_table_selector : public collective::selector {
 public:
  /// Prices are for this machine (load_machine). Throws `error` (configuration) for unknown ones.
  explicit cost_table_selector(std::string_view machine_name);

  /// Asks `edit`, once for a shape of call on a team (and a label); of rows that cost the same the
  /// first is taken. Throws `error` (argument) where no row is left.
  [[nodiscard]] const choice& choose(const collective::registry& from,
                                     const collective::problem& call) final;

 protected:
  /// Called with the candidates in predicted order, the cheapest first. `call.label` names the
  /// place in the program, where the program does.
  virtual void edit(const collective::problem& call, std::span<cost_row> table) = 0;

 private:
  collective::predictor predicts_;
  choice chosen_;
};

}  // namespace upwash::tuning
