// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The selector of jobs: what was measured first, corrected by the model where it was measured
// elsewhere; the model alone where nothing near is known.
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

/// A pure function of the problem, as the model selector: estimates are those of its class
/// (representative_of), kept for the last 256 classes; whether a result was measured there and an
/// algorithm serves is asked for the very call. May be shared by the ranks of a process. Cost: a
/// call of a known class some microseconds; a new class near what was measured, ten prices and what
/// the model takes; with packets, some replays of ten milliseconds.
class tuned_selector final : public collective::selector {
 public:
  /// So far away (see distance) a result still counts.
  static constexpr double reach = 3;

  /// The machine that prices are for (load_machine), read when it is needed.
  explicit tuned_selector(std::string machine_name);

  /// Prices are for another machine. Before the first choice.
  void choose_for(std::string machine_name);

  /// From now on; before the first choice. `name`: of the file, for reasons.
  void learn(knowledge known, std::string name);

  /// The machine that prices are for.
  [[nodiscard]] const std::string& machine_name() const noexcept { return machine_; }
  /// What it has learned.
  [[nodiscard]] const knowledge& known() const noexcept { return known_; }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

  /// Prices that an earlier job made, and those of this one.
  [[nodiscard]] price_notes& prices() noexcept { return prices_; }
  [[nodiscard]] const price_notes& prices() const noexcept { return prices_; }

  /// From now on the model's choices that were not measured are held to what packets on this
  /// network take: of its choice and those near, the first to end there. Before the first choice.
  void see_contention(std::shared_ptr<const model::topology> network);

  /// Where the situation was measured: the fastest result that has no objection. Near it: each of
  /// the fastest results, scaled by predicted(here) / predicted(there), against the model's choice,
  /// scaled by what the results took more than predicted; of these, the fastest that has no
  /// objection. Else the model's choice. Sparse exchanges are never measured.
  [[nodiscard]] const choice& choose(const collective::registry& from,
                                     const collective::problem& call) override;

  /// The model's.
  [[nodiscard]] std::uint64_t usual_eager_bytes(const collective::problem& call) override {
    return model_->usual_eager_bytes(call);
  }

  void share_prices(collective::node_prices* with) noexcept override { model_->share_prices(with); }

  [[nodiscard]] const collective::predictor* predicts() override;

 private:
  /// What candidates should take in a class of problems.
  struct estimates {
    std::vector<collective::ranked> by_time;  ///< the fastest first
    std::string text;

    void add(const collective::selection& what, duration time);
    /// Those without objection to this very call.
    [[nodiscard]] std::vector<collective::ranked> that_serve(const collective::problem& call) const;
  };
  /// So many classes are kept, about a KiB each.
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

/// What the job's knobs say about its tuning file.
struct tuning_request {
  std::string asked;  ///< knob `tuning`
  std::string conduit;
  std::string machine;        ///< knob `machine`
  bool machine_named = true;  ///< by the user
  bool simulated = false;     ///< the job runs on `machine`, in virtual time; else on this one
  int nodes = 1;              ///< of the job
  std::uint64_t build = 0;    ///< build_fingerprint of the program: whose prices count

  /// Whether the user names a file: what is found out is then kept there.
  [[nodiscard]] bool keeps() const noexcept { return !asked.empty() && asked != "none"; }

  /// The machine that is simulated; empty: none.
  [[nodiscard]] std::string_view simulated_machine() const noexcept {
    return simulated ? std::string_view(machine) : std::string_view();
  }
};

/// The knowledge of the file that the knobs name, and the file. One log line says which is used,
/// or why it is not: an unusable file is named and passed over as a whole. Never throws `error`.
[[nodiscard]] std::pair<knowledge, std::string> load_knowledge(
    const tuning_request& asked, const collective::registry& algorithms);

/// Teaches `with` what the knobs' file knows, prices of this build of the program too, and for
/// which machine to price where the user names none: this one as `upwash tune machine` measured it
/// (own_machine_file), if that can be read and knows a network where the job spans several nodes;
/// else those jobs presume machines on an Ethernet. A log line says which and why.
void learn_alone(const tuning_request& asked, const collective::registry& algorithms,
                 tuned_selector& with);

/// As above: rank 0 reads, all learn the same; nodes are alike, so each reads the machine itself.
/// Collective over all ranks, blocking: one broadcast of 24 bytes, and one of the knowledge, and of
/// prices, where there are some.
void learn_together(job& here, const tuning_request& asked, const collective::registry& algorithms,
                    tuned_selector& with);

}  // namespace upwash::tuning
