// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a schedule takes on a machine: when it is complete, and for how long each processor works
// (they differ: while messages travel a processor is free). Wire steps are priced, as lower()
// gives them, so what is priced is what runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/lower.hpp"

namespace upwash::schedule {

/// A step that is done, in virtual time.
struct traced_step {
  int rank = 0;
  std::uint64_t number = 0;
  duration begun;  ///< its processor took it up
  duration done;
};

struct price_options {
  enum class costs : std::uint8_t { as_given, loggp, alpha_beta };
  /// For levels that have both; as_given: alpha-beta.
  costs messages = costs::as_given;
  /// Copies, reductions, combining and switches of shared cores that the machine gives no cost for
  /// take no time (so do the tables of Kumar 2005). Otherwise an error names what is missing.
  bool free_where_absent = false;
  /// Each copy into scratch that a later send carries is a message combined into another:
  /// processor.combine, paid with the send.
  bool charge_combining = false;
  /// What a rank sends more than once, eagerly or by puts between nodes, is copied to the memory of
  /// its NIC (nic.memory_copy, by the processor) and sent from there (nic.memory_beta).
  bool from_nic_memory = false;
  /// Ranks of a node, for the sharing of cores; 0: as the machine has them.
  int ranks_per_node = 0;
  /// From one rank to the next on the same core, where they are no processes; none: as the machine
  /// has it.
  std::optional<duration> core_switch{};
  /// All ranks are walked, also where one could stand for them.
  bool every_rank = false;
  /// Where all ranks would take more than `most_steps`, few stand for them even where nodes are not
  /// all full, or classes are small: a price within some tens of percent instead of none.
  bool coarse = false;
  /// So many steps are walked before rounds that repeat are passed over: short schedules are exact.
  std::uint64_t steps_before_skipping = 200'000;
  std::uint64_t most_steps = 20'000'000;
  /// What takes longer is not priced to its end: for who looks for the least.
  duration most_time = duration::max();
  bool per_rank = false;  ///< fill `ranks` of the result
  /// What is known at run time (counts, and slots with the words they will hold), for schedules
  /// that ask; lives until price returns.
  std::optional<function_ref<facts(int rank)>> facts_of{};
  /// Told of each step walked as it is done, in no order of time; lives until price returns.
  std::optional<function_ref<void(const traced_step& at, const step& what)>> trace{};
};

struct rank_price {
  duration completion;  ///< the last of its steps
  duration processor;   ///< busy, not waiting
  friend bool operator==(const rank_price&, const rank_price&) = default;
};

struct price_result {
  /// Of the last rank, with core_sharing; duration::max(): longer than price_options::most_time,
  /// and nothing else is said.
  duration completion;
  duration processor_most;  ///< of the busiest rank
  duration processor_mean;
  duration core_sharing;  ///< switches between ranks of a core, and their turns
  std::uint32_t rounds = 0;
  /// What sends carry, with headers: bit i where some have more than 2^(i-1) bytes, up to 2^i.
  std::uint64_t edge_sizes = 0;
  std::vector<rank_price> ranks;  ///< those walked, when asked for; see of_rank
  // How it came about:
  int ranks_walked = 0;  ///< less than the team: they stand for all
  std::uint64_t steps_walked = 0;
  std::uint64_t rounds_skipped = 0;
  std::vector<std::uint32_t> stands_for;  ///< by rank: who of those walked; empty: modulo

  /// Of the one that stands for it; with price_options::per_rank.
  [[nodiscard]] const rank_price& of_rank(int rank) const {
    const auto i = static_cast<std::size_t>(rank);
    return ranks[stands_for.empty() ? i % static_cast<std::size_t>(ranks_walked) : stands_for[i]];
  }
  /// "1 rank stands for all 4096; 4000 rounds passed over".
  [[nodiscard]] std::string how(int team) const;
};

/// Prices the schedule of `ranks` ranks. In this order: where ranks do alike in different orders,
/// by the one that is busiest; ranks that are alike by one (on a machine with levels by those of a
/// node); large teams whose ranks have
/// classes by one of each class (within some percent); else all ranks are walked;
/// either way rounds that repeat are passed over once their time is steady. A processor that is
/// free takes the earliest step that can go on, as an executor does; messages hold ports as in
/// simulator/network. Whoever waits for
/// others on entry or exit (sync_mode) does so outside of this. Exact integer arithmetic. Time:
/// about 0.3 us a step walked, 1 to 2 us where 100,000 ranks leave the caches. Memory: windows of
/// the ranks walked, 300 bytes a step. Throws `error`: configuration for costs that the machine
/// lacks, argument for more than `most_steps` or missing facts, fault for a schedule that never
/// ends.
[[nodiscard]] price_result price(int ranks, function_ref<generator(int rank)> schedule_of,
                                 const machine& on, const transfer_rules& rules,
                                 const price_options& options = {});

}  // namespace upwash::schedule
