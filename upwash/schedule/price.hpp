// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices a schedule on a machine: the time to completion, and the busy time of each processor. The
// two differ, because a processor is free while messages travel. The price is that of the wire
// steps from lower(), which are also the steps that run.
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

/// A completed step in virtual time.
struct traced_step {
  int rank = 0;
  std::uint64_t number = 0;
  duration begun;  ///< start on its processor
  duration done;
};

struct price_options {
  enum class costs : std::uint8_t { as_given, loggp, alpha_beta };
  /// For levels with both kinds of costs; as_given: alpha-beta.
  costs messages = costs::as_given;
  /// Copies, reductions, combining and core switches without a cost in the machine take no time (as
  /// in the tables of Kumar 2005). Otherwise an error names the missing cost.
  bool free_where_absent = false;
  /// Each copy into scratch that a later send carries combines one message into another. It costs
  /// processor.combine, paid with the send.
  bool charge_combining = false;
  /// Data that a rank sends more than once between nodes, eagerly or by puts, is copied to the
  /// memory of its NIC and sent from there. The copy (nic.memory_copy) takes the processor; the
  /// sends cost nic.memory_beta.
  bool from_nic_memory = false;
  /// Ranks of a node, for the sharing of cores; 0: the machine's value.
  int ranks_per_node = 0;
  /// Time of a switch between ranks on the same core, if they are not processes; none: the
  /// machine's value.
  std::optional<duration> core_switch{};
  /// Walks all ranks, also if one could represent them.
  bool every_rank = false;
  /// If all ranks would take more than `most_steps`, few ranks represent them even if nodes are not
  /// all full or classes are small. The price is then accurate to some tens of percent instead of
  /// missing.
  bool coarse = false;
  /// Number of steps walked before repeating rounds are skipped. Prices of short schedules are
  /// exact.
  std::uint64_t steps_before_skipping = 200'000;
  std::uint64_t most_steps = 20'000'000;
  /// A longer time is not priced to its end; for searches of the minimum.
  duration most_time = duration::max();
  bool per_rank = false;  ///< fills `ranks` of the result
  /// Facts known at run time (counts, and slots with their future words), for schedules that ask.
  /// Must live until price returns.
  std::optional<function_ref<facts(int rank)>> facts_of{};
  /// Called for each walked step when it is complete, in no order of time. Must live until price
  /// returns.
  std::optional<function_ref<void(const traced_step& at, const step& what)>> trace{};
};

struct rank_price {
  duration completion;  ///< end of its last step
  duration processor;   ///< busy, not waiting
  friend bool operator==(const rank_price&, const rank_price&) = default;
};

struct price_result {
  /// Completion of the last rank, with core_sharing. duration::max(): longer than
  /// price_options::most_time; the other fields are then unset.
  duration completion;
  duration processor_most;  ///< of the busiest rank
  duration processor_mean;
  duration core_sharing;  ///< switches between the ranks of a core, and their turns
  std::uint32_t rounds = 0;
  /// Sizes of sends with headers: bit i if some send has more than 2^(i-1) and at most 2^i bytes.
  std::uint64_t edge_sizes = 0;
  std::vector<rank_price> ranks;  ///< the walked ranks, if asked for; see of_rank
  // Statistics:
  int ranks_walked = 0;  ///< less than the team if they represent all
  std::uint64_t steps_walked = 0;
  std::uint64_t rounds_skipped = 0;
  std::vector<std::uint32_t> stands_for;  ///< by rank: its representative; empty: modulo

  /// Returns the price of the rank's representative; needs price_options::per_rank.
  [[nodiscard]] const rank_price& of_rank(int rank) const {
    const auto i = static_cast<std::size_t>(rank);
    return ranks[stands_for.empty() ? i % static_cast<std::size_t>(ranks_walked) : stands_for[i]];
  }
  /// Returns for example "1 rank stands for all 4096; 4000 rounds passed over".
  [[nodiscard]] std::string how(int team) const;
};

/// Prices the schedule of `ranks` ranks. Walks the first applicable set of ranks:
/// * the busiest rank, if ranks do the same in different orders;
/// * one rank, if all are alike (those of one node on a machine with levels);
/// * one rank of each class, in large teams with classes (accurate to some percent);
/// * all ranks.
///
/// In all cases repeating rounds are skipped once their time is steady. A free processor takes the
/// earliest step that can proceed, as an executor does. Messages occupy ports as in
/// simulator/network. Waiting for other ranks on entry or exit (sync_mode) is not included. Exact
/// integer arithmetic.
///
/// Cost: about 0.3 us for each walked step, and 1 to 2 us if 100,000 ranks exceed the caches.
/// Memory: the windows of the walked ranks, 300 bytes a step. Throws `error`: configuration for
/// costs that the machine lacks, argument for more than `most_steps` or missing facts, fault for a
/// schedule that never ends.
[[nodiscard]] price_result price(int ranks, function_ref<generator(int rank)> schedule_of,
                                 const machine& on, const transfer_rules& rules,
                                 const price_options& options = {});

}  // namespace upwash::schedule
