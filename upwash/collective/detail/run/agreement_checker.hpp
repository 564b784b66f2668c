// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In checked runs: whether all members call the same.
#pragma once

#include <string>
#include <vector>

#include "upwash/collective/detail/run/agreement.hpp"
#include "upwash/collective/detail/run/keys.hpp"
#include "upwash/collective/detail/run/operation.hpp"

namespace upwash::collective::detail {

/// Each member tells its neighbours in a tree what it calls: any difference shows on some edge of
/// the tree, at both ends. Owns what neighbours have still to say, what they said early, and the
/// first difference. Memory: O(calls that not all neighbours have told of).
class agreement_checker {
 public:
  explicit agreement_checker(job& here) : here_(here) {}

  /// Tells the neighbours of an operation that begins, and compares what they told before.
  void tell(const operation& op);
  /// A neighbour's message.
  void heard(const agreement& theirs);
  /// Whether neighbours have still to say what they call there. A message that does not fit is told
  /// only when they have: what they call says more.
  [[nodiscard]] bool awaits(const run_key& key) const;
  /// Throws `error` (fault) once members have called different collectives. Every time: nothing
  /// that is under way will ever be complete, and whoever waits must hear it.
  void throw_disagreement() const;

 private:
  struct expected {
    agreement own;
    int missing = 0;  ///< neighbours that have not told theirs
  };
  [[nodiscard]] agreement agreement_of(const operation& op) const;
  bool compare(const agreement& theirs);

  job& here_;
  std::vector<expected> expected_;
  std::vector<agreement> early_;
  std::string disagreement_;
};

}  // namespace upwash::collective::detail
