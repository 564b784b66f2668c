// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who chooses the algorithm of a call. The choice depends on facts of the whole team only, so all
// members come to the same one. The default asks the cost model; the tuner installs its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "upwash/collective/candidates.hpp"
#include "upwash/collective/registry.hpp"

namespace upwash::collective {

class selector {
 public:
  virtual ~selector() = default;
  selector(const selector&) = delete;
  selector& operator=(const selector&) = delete;

  struct choice {
    selection what;
    std::string why;
    /// What may be as fast, in predicted order: tried in the program where the job adapts.
    std::vector<ranked> others{};
  };
  /// One of the registry's algorithms, with parameters, that has no objection to the call. Throws
  /// `error` (argument) when there is none. The reference is good until the next call.
  [[nodiscard]] virtual const choice& choose(const registry& from, const problem& call) = 0;

 protected:
  selector() = default;
};

/// Prices the algorithms on a machine and takes the cheapest, the best of them also with other
/// values of their parameters (candidates.hpp); where a price cannot be had, the first of the
/// registry. Remembers what it chose. Shared by the ranks of a process. The machine (load_machine)
/// is read at the first choice: programs without collectives do not pay for it. Where it cannot be
/// read, the first that serves is chosen, and the reason says so.
[[nodiscard]] std::unique_ptr<selector> make_model_selector(std::string machine_name);

}  // namespace upwash::collective
