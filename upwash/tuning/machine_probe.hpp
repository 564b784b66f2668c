// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Measures a machine: the costs of messages, copies, reductions and shared cores, in the form of
// machines/*.json. Source: Kumar 2005, 2.4 (multi-ping, pieces by size); Nishtala 2009,
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

/// Messages between rank 0 and one other rank.
struct level_probe {
  level_kind kind = level_kind::node;
  int partner = 1;
  double send_ns = 0;                 ///< o: a put of a word, at the processor
  double gap_ns = 0;                  ///< g: a put of a word in a burst
  double word_ns = 0;                 ///< 8 bytes one way, by the fastest means of the library
  double put_ns_per_byte = 0;         ///< G: long puts
  std::vector<timed_size> one_way;    ///< by executor messages, as collectives send them
  std::vector<timed_size> both_ways;  ///< a message of bursts in both directions: multi-ping
  piecewise_fit fit;                  ///< of one_way
  piecewise_fit burst_fit;            ///< of both_ways
};

/// All measurements of a machine.
struct machine_probe {
  placement where = placement::disturbed;
  int ranks_a_node = 1;
  int cores = 1;
  // Costs of the processor, only on real conduits: in virtual time its work takes no time.
  std::optional<double> copy_ns_per_byte;
  std::optional<double> reduce_ns_per_byte;
  std::optional<double> core_switch_ns;
  std::vector<level_probe> levels;  ///< from inside out
};

/// Measures messages from rank 0 to the next rank on its node and to one on another node, if they
/// exist. The result is valid at rank 0. Collective over all ranks (at least 2), blocking: some
/// seconds. Throws `error` (environment) if the cores keep moving.
[[nodiscard]] machine_probe probe_machine(job& here);

/// Returns the defects of the measurements; empty if there are none. Defects are costs that are not
/// positive, and fits with points more than 30 % off.
[[nodiscard]] std::vector<std::string> nonsense_in(const machine_probe& seen);

/// Returns the text of a machine file, which parse_machine reads.
[[nodiscard]] std::string machine_text(const machine_probe& seen, std::string_view name,
                                       std::string_view description);

}  // namespace upwash::tuning
