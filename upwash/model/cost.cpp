// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/cost.hpp"

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::model {
namespace {

duration piece_time(const alpha_beta_piece& piece, std::uint64_t bytes) {
  return piece.alpha + bytes_time(bytes, piece.beta_ns_per_byte);
}

void split_loggp(message_cost& cost, const loggp_cost& loggp, std::uint64_t bytes) {
  cost.latency = loggp.latency;
  cost.transfer = bytes == 0 ? duration() : bytes_time(bytes - 1, loggp.gap_ns_per_byte);
  cost.busy = cost.transfer + loggp.gap;
}

void split_alpha_beta(message_cost& cost, const machine_level& level, bool shared,
                      std::uint64_t bytes) {
  const duration total = alpha_beta_time(*level.alpha_beta, bytes);
  cost.busy = shared ? duration::from_ps((total.ps() + 1) / 2) : total;
  const duration network = std::max(duration(), total - cost.send_overhead - cost.receive_overhead);
  // The bytes are the part that streams; what starts the message goes before the first of them.
  const duration startup = alpha_beta_time(*level.alpha_beta, 0);
  cost.transfer = std::min({network, cost.busy, std::max(duration(), total - startup)});
  cost.latency = network - cost.transfer;
}

}  // namespace

duration alpha_beta_time(const alpha_beta_cost& cost, std::uint64_t bytes) {
  duration result;
  for (const alpha_beta_piece& piece : cost.pieces) {
    if (piece.from_bytes > bytes) break;
    const duration time = piece_time(piece, bytes);
    result = cost.combine == alpha_beta_cost::rule::maximum ? std::max(result, time) : time;
  }
  return result;
}

message_cost cost_of_message(const machine& on, std::size_t index, std::uint64_t bytes) {
  const machine_level& level = on.levels.at(index);
  message_cost cost;
  cost.send_overhead =
      level.send_overhead.value_or(duration()) + bytes_time(bytes, level.send_ns_per_byte);
  cost.receive_overhead =
      level.receive_overhead.value_or(duration()) + bytes_time(bytes, level.receive_ns_per_byte);
  if (level.alpha_beta) {
    const bool shared =
        index + 1 == on.levels.size() && on.nic.traffic == nic_protocol::budget::shared;
    split_alpha_beta(cost, level, shared, bytes);
  } else if (level.loggp) {
    split_loggp(cost, *level.loggp, bytes);
  } else {
    throw error(error_kind::configuration,
                "machine " + on.name + " has no message costs for its level " +
                    std::string(to_string(level.kind)) + " (loggp or alpha_beta)");
  }
  return cost;
}

duration message_time(const machine& on, std::size_t level, std::uint64_t bytes) {
  const message_cost cost = cost_of_message(on, level, bytes);
  return cost.send_overhead + cost.latency + cost.transfer + cost.receive_overhead;
}

duration pipelined_time(const machine& on, std::size_t level, std::uint64_t bytes) {
  const message_cost cost = cost_of_message(on, level, bytes);
  const bool shared =
      level + 1 == on.levels.size() && on.nic.traffic == nic_protocol::budget::shared;
  return std::max(shared ? cost.busy * 2 : cost.busy, cost.send_overhead + cost.receive_overhead);
}

duration copy_time(const machine& on, std::uint64_t bytes) {
  return bytes_time(bytes, needed(on, on.processor.copy_ns_per_byte, "processor.copy", "copying"));
}

duration core_sharing_time(const machine& on, std::uint64_t rounds, duration busy,
                           int ranks_per_node) {
  const int cores =
      needed(on, on.processor.cores_per_node, "processor.cores_per_node", "sharing of cores");
  if (ranks_per_node <= cores) return {};
  const duration one =
      needed(on, on.processor.core_switch, "processor.core_switch", "sharing of cores");
  return core_sharing_time(one, cores, rounds, busy, ranks_per_node);
}

duration core_sharing_time(duration core_switch, int cores, std::uint64_t rounds, duration busy,
                           int ranks_per_node) {
  const int ranks_per_core = (ranks_per_node + cores - 1) / cores;
  if (ranks_per_core <= 1) return {};
  return core_switch * (static_cast<std::int64_t>(rounds) * ranks_per_core) +
         busy * (ranks_per_core - 1);
}

machine with_edges(machine on) {
  const duration each = on.processor.edge.value_or(duration());
  for (machine_level& level : on.levels) {
    level.send_overhead = level.send_overhead.value_or(duration()) + each;
    level.receive_overhead = level.receive_overhead.value_or(duration()) + each;
    if (level.loggp) level.loggp->gap_ns_per_byte += on.processor.edge_ns_per_byte.value_or(0);
  }
  return on;
}

}  // namespace upwash::model
