// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tuner of the program: it gets a table with the predicted cost of each candidate of a call,
// changes it, and the cheapest row runs (as in NCCL's tuner plug-ins).
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
  static constexpr double unknown = 1e18;  ///< no price: after all others, but allowed

  collective::selection what;
  std::string algorithm;  ///< NAME[:key=value,...]
  double ns = unknown;    ///< predicted; `never`: not allowed
};

/// Base class of a program's tuner; install it with collective::set_selector. `edit` may depend
/// only on facts that all members of the team share.
class cost_table_selector : public collective::selector {
 public:
  /// Uses the prices of this machine (load_machine). Throws `error` (configuration) for an unknown
  /// one.
  explicit cost_table_selector(std::string_view machine_name);

  /// Calls `edit`, once for each shape of call on a team (and each label). Takes the cheapest row;
  /// among equal rows the first. Throws `error` (argument) if no row is left.
  [[nodiscard]] const choice& choose(const collective::registry& from,
                                     const collective::problem& call) final;

 protected:
  /// Called with the candidates in predicted order, the cheapest first. `call.label` names the
  /// place in the program, if the program set it.
  virtual void edit(const collective::problem& call, std::span<cost_row> table) = 0;

 private:
  collective::predictor predicts_;
  choice chosen_;
};

}  // namespace upwash::tuning
