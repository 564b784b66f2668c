// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses the algorithm of a call. The choice is a function of the problem, which consists of facts
// of the whole team. All members therefore make the same choice, whatever they chose before. The
// default selector uses the cost model; the tuner installs its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "upwash/collective/candidates.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/registry.hpp"

namespace upwash::collective {

class node_prices;
class price_memory;

class selector {
 public:
  virtual ~selector() = default;
  selector(const selector&) = delete;
  selector& operator=(const selector&) = delete;

  struct choice {
    selection what;
    std::string why;
    /// Selections that may be as fast, in predicted order. A job that adapts tries them in the
    /// program.
    std::vector<ranked> others{};
    /// All selections that were considered, with predicted times if known; for traces.
    std::vector<ranked> considered{};
  };
  /// Returns an algorithm of the registry, with parameters, that has no objection to the call. The
  /// reference is valid until the next call. Throws `error` (argument) if no algorithm serves.
  [[nodiscard]] virtual const choice& choose(const registry& from, const problem& call) = 0;

  /// Returns problem::eager_bytes for calls like `call` if no size was asked for. The same at all
  /// members, whatever they chose before. Without a machine to price on: the limit.
  [[nodiscard]] virtual std::uint64_t usual_eager_bytes(const problem& call) {
    return call.eager_limit;
  }

  /// Sets the prices that this process shares with the other processes of its node; null ends the
  /// sharing. Choices stay the same.
  virtual void share_prices(node_prices* /*with*/) noexcept {}
  /// Sets the memory from which prices are recalled and in which they are stored; null: none. The
  /// memory outlives its use.
  virtual void remember_in(price_memory* /*memory*/) noexcept {}

  /// Returns the prices on the machine that choices use; null if no machine is known. Lives as long
  /// as the selector.
  [[nodiscard]] virtual const predictor* predicts() { return nullptr; }

 protected:
  selector() = default;
};

/// Makes a selector that prices the algorithms on a machine and takes the cheapest. The best ones
/// are also priced with other values of their parameters and other sizes of eager edges
/// (candidates.hpp).
///
/// The choice is a pure function of the problem. Members with different histories, each with its
/// own selector, therefore choose the same: the prices are those of representative_of, and only the
/// question whether an algorithm serves uses the actual call. Keeps the prices of the last 256
/// classes. Not for several threads.
///
/// Cost: some microseconds for a call of a known class. A new class mostly takes less than a
/// millisecond in a team of a few ranks, and at most some tens. It takes up to a second in a team
/// of hundreds of ranks, which is priced step by step. The machine (load_machine) is read at the
/// first choice, so programs without collectives do not pay for it. If it cannot be read, the
/// prices are those of the laptop, and a warning and the reason of the choice say so.
[[nodiscard]] std::unique_ptr<selector> make_model_selector(std::string machine_name);

}  // namespace upwash::collective
