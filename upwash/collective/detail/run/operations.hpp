// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The life of operations: begun, taken through their phases (settle, entry, main, exit), finished
// or given up.
#pragma once

#include <memory>
#include <vector>

#include "upwash/collective/detail/run/agreement_checker.hpp"
#include "upwash/collective/detail/run/operation_store.hpp"
#include "upwash/collective/detail/run/step_runner.hpp"
#include "upwash/collective/detail/run/team_records.hpp"
#include "upwash/collective/detail/run/written_down.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/service.hpp"

namespace upwash::collective::detail {

/// Owns the operations that run, but for those that a `persistent` keeps, and those that failed:
/// peers' answers name their slots. Memory: what each operation has (operation.hpp).
class operations {
 public:
  /// What it is used against.
  struct uses {
    job& here;
    service_base& service;  ///< busy while operations run
    operation_store& store;
    in_flight& running;
    step_runner& steps;
    agreement_checker& agreements;
  };
  explicit operations(const uses& all)
      : uses_(all), here_(all.here), running_(all.running), trace_(host(here_).trace()) {}

  /// Begins an operation. Throws `error` (argument) where it cannot have what it needs, and what
  /// its first steps throw.
  request start(std::unique_ptr<operation_block> made);
  /// The next start of one that a `persistent` keeps. Throws `error` (argument) while the last is
  /// under way.
  request restart(operation& kept);
  /// Waits for a start of which the caller was told early; throws as `restart`.
  void await_last_start(operation& kept);
  /// Takes over an operation that is still running from its `persistent`, and waits for it.
  void retire(std::unique_ptr<operation_block> kept);

  /// Moves all on as far as they go; returns how many steps and phases.
  int progress();
  /// Waits until none runs on the team: with exit mode none there may be some of which the caller
  /// knows nothing any more.
  void await_all_on(const team_record& record);
  [[nodiscard]] bool any_on(const team_record& record) const;
  /// Whether what comes next on the team must outlast others that run.
  [[nodiscard]] bool must_outlast(const team_record& record) const;
  /// What settles an epoch has ended: peers use nothing of before any more.
  void end_settling(team_record& record, std::uint64_t epoch);

 private:
  void check_shared_scratch(const operation& op) const;
  request begin(operation& op);
  static void begin_epoch(operation& op);
  void introduce(operation& op);
  int advance(operation& op);
  int advance_phases(operation& op);
  template <class Act>
  int guarded(operation& op, const Act& act);
  bool settled(operation& op);
  bool next_phase(operation& op);
  void give_up(operation& op);
  bool may_leave(const operation& op) const;
  void finish(operation& op);
  void give_back(const operation& op);

  uses uses_;
  job& here_;
  in_flight& running_;
  observe::trace_writer* trace_;
  std::vector<std::unique_ptr<operation_block>> owned_;
};

}  // namespace upwash::collective::detail
