// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Measuring a machine: what messages, copies, reductions and shared cores cost, as
// machines/*.json have it. Source: Kumar 2005, 2.4 (multi-ping, pieces by size); Nishtala 2009,
// "Performance Models" (L, o, g, G).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/core/job.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/tuning/fit.hpp"
#include "upwash/tuning/placement.hpp"

namespace upwash::tuning {

/// Messages between rank 0 and one other.
struct level_probe {
  level_kind kind = level_kind::node;
  int partner = 1;
  double send_ns = 0;                 ///< o: a put of a word, at the processor
  double gap_ns = 0;                  ///< g: the same in a burst, a put
  double word_ns = 0;                 ///< one way, 8 bytes, the fastest the library has
  double put_ns_per_byte = 0;         ///< G: long puts
  std::vector<timed_size> one_way;    ///< by the executor's messages, as collectives send them
  std::vector<timed_size> both_ways;  ///< a message of bursts in both directions: multi-ping
  piecewise_fit fit;                  ///< of one_way
  piecewise_fit burst_fit;            ///< of both_ways
};

/// All that was measured, and what it means.
struct machine_probe {
  placement where = placement::disturbed;
  int ranks_a_node = 1;
  int cores = 1;
  // Of the processor, on real conduits: in virtual time it works for nothing.
  std::optional<double> copy_ns_per_byte;
  std::optional<double> reduce_ns_per_byte;
  std::optional<double> core_switch_ns;
  std::vector<level_probe> levels;  ///< from inside out
};

/// Measures rank 0 with the next rank on its node, and with one on another node, where there are.
/// Collective over all ranks (at least 2), blocking: some seconds. The result is rank 0's. Throws
/// `error` (environment) where the cores do not lie still.
[[nodiscard]] machine_probe probe_machine(job& here);

/// What is wrong with the measurements; empty: nothing. Costs that are not positive, fits whose
/// points lie more than 30 % off.
[[nodiscard]] std::vector<std::string> nonsense_in(const machine_probe& seen);

/// A machine file's text; parse_machine reads it.
[[nodiscard]] std::string machine_text(const machine_probe& seen, std::string_view name,
                                       std::string_view description);

}  // namespace upwash::tuning
