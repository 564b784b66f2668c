// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who chooses the algorithm of a call. The choice is a function of the problem, which consists of
// facts of the whole team, so all members come to the same one, whatever they chose before. The
// default asks the cost model; the tuner installs its own.
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
    /// What may be as fast, in predicted order: tried in the program where the job adapts.
    std::vector<ranked> others{};
    /// All that was looked at, with what each should take, where something is known: for traces.
    std::vector<ranked> considered{};
  };
  /// One of the registry's algorithms, with parameters, that has no objection to the call. Throws
  /// `error` (argument) when there is none. The reference is good until the next call.
  [[nodiscard]] virtual const choice& choose(const registry& from, const problem& call) = 0;

  /// For problem::eager_bytes of such calls, where nobody asked for a size; the same at all
  /// members, whatever they chose before. Without a machine to price on: the limit.
  [[nodiscard]] virtual std::uint64_t usual_eager_bytes(const problem& call) {
    return call.eager_limit;
  }

  /// From now on prices may be taken of other processes of the node, and own ones are told to them;
  /// null: no longer. Choices stay the same.
  virtual void share_prices(node_prices* /*with*/) noexcept {}
  /// From now on prices are recalled from there, and noted; null: no longer. It outlives its use.
  virtual void remember_in(price_memory* /*memory*/) noexcept {}

  /// Prices on the machine that choices are for; null: none is known. As long as the selector.
  [[nodiscard]] virtual const predictor* predicts() { return nullptr; }

 protected:
  selector() = default;
};

/// Prices the algorithms on a machine and takes the cheapest, the best of them also with other
/// values of their parameters and other sizes of eager edges (candidates.hpp). A pure function of
/// the problem, so that members with different pasts, each with a selector of its own, choose the
/// same: priced is what representative_of names, and whether an algorithm serves is asked for the
/// very call. Keeps the prices of the last 256 such classes. Cost: a call of a known class some
/// microseconds; a new class mostly below a millisecond in a team of a few ranks, at most some
/// tens, and up to a second in one of hundreds, which is priced step by step. Not for several
/// threads. The machine (load_machine) is read at the first choice: programs without collectives do
/// not pay for it. Where it cannot be read, prices are those of the laptop, and a warning and the
/// reason say so.
[[nodiscard]] std::unique_ptr<selector> make_model_selector(std::string machine_name);

}  // namespace upwash::collective
