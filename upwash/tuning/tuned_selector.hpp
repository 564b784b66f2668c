// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The selector of jobs. It prefers measured results, corrects results of other situations with the
// model, and uses the model alone if nothing near was measured.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "upwash/collective/candidates.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/problem_cache.hpp"
#include "upwash/collective/selector.hpp"
#include "upwash/core/job.hpp"
#include "upwash/model/topology.hpp"
#include "upwash/tuning/knowledge.hpp"
#include "upwash/tuning/price_notes.hpp"
#include "upwash/tuning/tuning_file.hpp"

namespace upwash::tuning {

/// A selector with measured results. Its choice is a pure function of the problem, as that of the
/// model selector. Estimates are those of the problem's class (representative_of), kept for the
/// last 256 classes. Two questions use the actual call: whether a result was measured there, and
/// whether an algorithm serves. The ranks of a process may share the selector.
///
/// Cost: some microseconds for a call of a known class. A new class near a measured one costs ten
/// prices and the model's choice; with packets, some replays of ten milliseconds.
class tuned_selector final : public collective::selector {
 public:
  /// Maximum distance (see distance) of a usable result.
  static constexpr double reach = 3;

  /// `machine_name`: the machine of the prices (load_machine), read when it is needed.
  explicit tuned_selector(std::string machine_name);

  /// Sets another machine for the prices. Call it before the first choice.
  void choose_for(std::string machine_name);

  /// Sets the known results. Call it before the first choice. `name`: of the file, for the reasons
  /// of choices.
  void learn(knowledge known, std::string name);

  /// Returns the machine of the prices.
  [[nodiscard]] const std::string& machine_name() const noexcept { return machine_; }
  /// Returns the known results.
  [[nodiscard]] const knowledge& known() const noexcept { return known_; }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

  /// Returns the prices of earlier jobs and of this one.
  [[nodiscard]] price_notes& prices() noexcept { return prices_; }
  [[nodiscard]] const price_notes& prices() const noexcept { return prices_; }

  /// Checks choices of the model that were not measured against packet replays on this network. The
  /// first of the model's choice and its near rivals to finish there is taken. Call it before the
  /// first choice.
  void see_contention(std::shared_ptr<const model::topology> network);

  /// Chooses an algorithm. If the situation was measured: the fastest result without objection.
  /// Near a measured situation: compares each of its fastest results, scaled by predicted(here) /
  /// predicted(there), with the model's choice, scaled by the ratio of measured to predicted times.
  /// The fastest of these without objection is taken. Otherwise: the model's choice. Sparse
  /// exchanges are never measured.
  [[nodiscard]] const choice& choose(const collective::registry& from,
                                     const collective::problem& call) override;

  /// Returns the model's value.
  [[nodiscard]] std::uint64_t usual_eager_bytes(const collective::problem& call) override {
    return model_->usual_eager_bytes(call);
  }

  void share_prices(collective::node_prices* with) noexcept override { model_->share_prices(with); }

  [[nodiscard]] const collective::predictor* predicts() override;

 private:
  /// The estimated times of candidates in a class of problems.
  struct estimates {
    std::vector<collective::ranked> by_time;  ///< the fastest first
    std::string text;

    void add(const collective::selection& what, duration time);
    /// Returns the candidates without objection to this call.
    [[nodiscard]] std::vector<collective::ranked> that_serve(const collective::problem& call) const;
  };
  /// Number of classes kept, about a KiB each.
  static constexpr std::size_t most_kept = 256;

  [[nodiscard]] collective::problem class_of(const collective::problem& call);
  [[nodiscard]] std::optional<choice> remembered(const collective::registry& from,
                                                 const collective::problem& call);
  [[nodiscard]] std::optional<choice> measured_here(const collective::registry& from,
                                                    const collective::problem& call,
                                                    const finding& found) const;
  [[nodiscard]] std::optional<choice> corrected(const collective::registry& from,
                                                const collective::problem& call);
  [[nodiscard]] estimates estimated(const collective::registry& from,
                                    const collective::problem& call, const finding& found);
  [[nodiscard]] std::optional<choice> by_packets(const collective::registry& from,
                                                 const collective::problem& call);
  [[nodiscard]] const estimates& replayed(const collective::registry& from,
                                          const collective::problem& stands_for_all);
  void make_model();

  std::string machine_;
  std::unique_ptr<collective::selector> model_;
  std::optional<collective::predictor> predictor_;
  bool looked_for_machine_ = false;
  std::shared_ptr<const model::topology> network_;
  knowledge known_;
  price_notes prices_;
  std::string file_;
  collective::problem_cache<estimates> estimates_{most_kept};
  choice chosen_;
};

/// The job's knobs about its tuning file.
struct tuning_request {
  std::string asked;  ///< knob `tuning`
  std::string conduit;
  std::string machine;        ///< knob `machine`
  bool machine_named = true;  ///< by the user
  bool simulated = false;     ///< the job runs on `machine`, in virtual time; otherwise on this
                              ///< machine
  int nodes = 1;              ///< of the job
  std::uint64_t build = 0;    ///< build_fingerprint of the program; only prices of this build are
                              ///< used

  /// Returns whether the user names a file, in which new results are then stored.
  [[nodiscard]] bool keeps() const noexcept { return !asked.empty() && asked != "none"; }

  /// Returns the simulated machine; empty if none is simulated.
  [[nodiscard]] std::string_view simulated_machine() const noexcept {
    return simulated ? std::string_view(machine) : std::string_view();
  }
};

/// Returns the knowledge of the file that the knobs name, and the file's name. A log line names the
/// used file, or the reason for not using it: an unusable file is skipped as a whole. Never throws
/// `error`.
[[nodiscard]] std::pair<knowledge, std::string> load_knowledge(
    const tuning_request& asked, const collective::registry& algorithms);

/// Teaches `with` the results of the knobs' file, with prices of this build. If the user names no
/// machine, chooses the machine of the prices. That is this machine as `upwash tune machine`
/// measured it (own_machine_file), if the file is readable and contains a network for a job on
/// several nodes. Otherwise jobs assume machines on an Ethernet. A log line names the machine and
/// the reason.
void learn_alone(const tuning_request& asked, const collective::registry& algorithms,
                 tuned_selector& with);

/// Does the same in a job: rank 0 reads the file, and all ranks learn the same results. Nodes are
/// alike, so each rank reads the machine itself. Collective over all ranks, blocking. Cost: one
/// broadcast of 24 bytes, and one each for the knowledge and the prices, if there are any.
void learn_together(job& here, const tuning_request& asked, const collective::registry& algorithms,
                    tuned_selector& with);

}  // namespace upwash::tuning
