// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Walks schedules in virtual time: events in the order of time, a processor a rank that takes the
// earliest step that can go on, ports that messages hold. The ranks walked may stand for more: then
// a peer is the walked rank that stands for it.
#pragma once

#include <cstdint>
#include <string>

#include "upwash/schedule/detail/price/edges.hpp"
#include "upwash/schedule/detail/price/local_work.hpp"
#include "upwash/schedule/detail/price/network_steps.hpp"
#include "upwash/schedule/detail/price/signal_counters.hpp"

namespace upwash::schedule::detail {

enum class run_end : std::uint8_t {
  complete,
  too_long,  ///< more steps than the options allow
  too_late,  ///< more time than the options allow
  stuck,     ///< steps wait for what never comes, or messages for whom to take them
};

/// Owns the parts of a run and hands each event to the one it is for; their order is the order of
/// dependence. Plan, machine, rules and options outlive it. Memory: that of the parts, O(ranks
/// walked + what is under way).
class event_run {
 public:
  /// Throws `error`: argument for facts that are missing, configuration for costs that are.
  event_run(const run_plan& plan, function_ref<generator(int rank)> schedule_of, const machine& on,
            const transfer_rules& rules, const price_options& options);
  event_run(const event_run&) = delete;
  event_run& operator=(const event_run&) = delete;

  /// To the end; throws what parts throw.
  run_end run();

  void write_result(price_result& to) const;
  /// The first step that never becomes ready, in words.
  [[nodiscard]] std::string what_is_stuck();

 private:
  void add_rank(int rank, const generator& steps, std::uint32_t least_window);
  [[nodiscard]] facts facts_of(int rank) const;
  [[nodiscard]] duration shared_so_far() const;
  void handle(const event& e);
  void compete(const event& e);
  void perform(const event& e);
  void begin(int rank, step_number n, duration at);
  void close(int rank, step_number n, duration at);
  void fetched(int rank, std::uint64_t which, duration at);
  void released(int rank, step_number n, duration at);
  [[nodiscard]] bool needs_processor(const event& e);
  [[nodiscard]] step_number step_of(const event& e);

  const transfer_rules& rules_;
  const price_options& options_;
  walked_ranks team_;
  agenda events_;
  processors processors_;
  messages_under_way messages_;
  rank_windows windows_;
  message_charges costs_;
  ports ports_;
  repeated_rounds rounds_;
  step_flow flow_;
  edge_meetings meetings_;
  class_notices notices_;
  bool shares_cores_;
  wires wires_;
  edges edges_;
  local_work work_;
  signal_counters counters_;
  network_steps network_;
};

}  // namespace upwash::schedule::detail
