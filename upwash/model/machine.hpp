// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A machine as the cost models and the simulator see it: levels with message costs, processor
// costs, the NIC's protocol, topology. Read from machines/NAME.json, in which every value names its
// source. Values that a source does not give are absent; `needed` reports their users.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upwash/base/duration.hpp"

namespace upwash {

/// The level at which two ranks are closest, from inside out.
enum class level_kind : std::uint8_t { core, cache, socket, node, group, network };
[[nodiscard]] std::string_view to_string(level_kind kind) noexcept;

/// From this size on a message takes alpha + bytes * beta (Kumar 2005, equation 2.1).
struct alpha_beta_piece {
  std::uint64_t from_bytes = 0;
  duration alpha;
  double beta_ns_per_byte = 0;
};

/// Pipelined time per message with traffic both ways, as multi-ping measures it.
struct alpha_beta_cost {
  enum class rule : std::uint8_t {
    by_size,  ///< the piece with the size in its range (QsNet, section 2.4)
    maximum,  ///< the largest of all pieces that start at or below the size (Myrinet)
  };
  rule combine = rule::by_size;
  std::vector<alpha_beta_piece> pieces;  ///< ascending from_bytes; the first is 0 for by_size
};

/// LogGP without its overheads, which are separate fields.
struct loggp_cost {
  duration latency;            ///< L
  duration gap;                ///< g, between messages
  double gap_ns_per_byte = 0;  ///< G, between the bytes of a message
};

/// Messages between ranks that share this level and no inner one. A level without costs only
/// describes the layout; its messages cost those of the next outer level.
struct machine_level {
  level_kind kind = level_kind::network;
  std::optional<int> ranks;  ///< consecutive ranks in one; absent: all, only for the outermost
  std::optional<duration> send_overhead;     ///< o_send, of the processor
  std::optional<duration> receive_overhead;  ///< o_receive
  double send_ns_per_byte = 0;               ///< added to o_send: copies by the processor
  double receive_ns_per_byte = 0;
  std::optional<loggp_cost> loggp;
  std::optional<alpha_beta_cost> alpha_beta;  ///< preferred if both are present

  [[nodiscard]] bool has_costs() const noexcept {
    return loggp.has_value() || alpha_beta.has_value();
  }
};

/// The costs of processor work: the rows of `conduit::cost`, and sharing a core.
struct processor_costs {
  std::optional<int> cores_per_node;
  std::optional<double> copy_ns_per_byte;  ///< gamma
  std::optional<duration> combine;         ///< one message combined into another
  std::optional<duration> handler;
  std::optional<duration> push;
  std::optional<double> reduce_ns_per_byte;
  std::optional<duration> traversal;  ///< one entry of a matching queue
  std::optional<duration> poll;
  std::optional<duration> core_switch;  ///< from one rank to another on the same core
  /// The cost of a collective's executor at either end of a message, in addition to its overhead.
  std::optional<duration> edge;
  /// The same for each byte, in addition to G: private memory is accessed page by page.
  std::optional<double> edge_ns_per_byte;
  /// A thread with its own core next to each rank bears o_send and o_receive, one message after the
  /// other. This applies to simulated jobs; prices and replays of schedules count them as the
  /// rank's own.
  bool communication_thread = false;
};

struct nic_protocol {
  enum class matcher : std::uint8_t { processor, nic };
  enum class budget : std::uint8_t {
    separate,  ///< both directions at full rate together
    shared,    ///< both directions share one rate; one direction alone runs at twice it
  };
  enum class owner : std::uint8_t { rank, node };
  std::optional<matcher> matching;
  budget traffic = budget::separate;
  owner of = owner::node;  ///< the sharers of a queue at the outermost level
  std::optional<std::uint64_t> packet_bytes;
  std::optional<int> packets_in_flight;           ///< from a source, until the acknowledgement
  std::optional<double> memory_beta_ns_per_byte;  ///< sending from NIC memory
  std::optional<double> memory_copy_ns_per_byte;  ///< delta: main memory to NIC memory
};

struct machine_topology {
  std::string kind;
  std::vector<std::pair<std::string, std::int64_t>> parameters;
};

struct machine {
  std::string name;
  std::string origin;                 ///< the file
  std::uint64_t text_hash = 0;        ///< of the text of the file
  std::vector<machine_level> levels;  ///< from inside out; the last holds all ranks
  processor_costs processor;
  nic_protocol nic;
  std::optional<machine_topology> topology;

  /// Returns the index of the innermost level with costs that both ranks share. O(levels).
  [[nodiscard]] std::size_t level_between(int a, int b) const noexcept;
  /// Returns the ranks in one `kind` (INT_MAX: all). If the machine has no nodes, the next lower
  /// level counts as nodes, with at least 1 rank each. If another level is missing, the value for
  /// nodes is returned.
  [[nodiscard]] int ranks_in(level_kind kind) const noexcept;
};

/// Returns the value. Throws `error` (configuration) if it is absent: machine X has no FIELD, which
/// WHO needs.
template <class T>
[[nodiscard]] T needed(const machine& on, const std::optional<T>& value, std::string_view field,
                       std::string_view who);
extern template duration needed(const machine&, const std::optional<duration>&, std::string_view,
                                std::string_view);
extern template double needed(const machine&, const std::optional<double>&, std::string_view,
                              std::string_view);
extern template int needed(const machine&, const std::optional<int>&, std::string_view,
                           std::string_view);
extern template std::uint64_t needed(const machine&, const std::optional<std::uint64_t>&,
                                     std::string_view, std::string_view);

/// Returns a copy with `ranks` ranks on a node, at most its capacity; 1 leaves only the outermost
/// level. Throws `error` (configuration).
[[nodiscard]] machine with_ranks_a_node(machine on, int ranks);

/// Returns a copy in which `ranks` ranks share each core, as fibers of one process. Throws `error`
/// (configuration).
[[nodiscard]] machine with_ranks_a_core(machine on, int ranks);

/// Returns a copy with or without a communication thread for each rank.
[[nodiscard]] machine with_communication_thread(machine on, bool threads);

/// Finds and reads a machine: a path (with a slash or ending in .json), otherwise NAME.json in
/// upwash/machines of the user's config folder, next to the installed library, or in the source
/// tree. Either may end in ":ranks_a_node=N", ":ranks_a_core=N" and ":communication_thread=0" or 1.
/// Throws `error` (configuration) for an unknown name, with the known names and the nearest one,
/// and for an unreadable or malformed file, with line, key and valid values.
[[nodiscard]] machine load_machine(std::string_view name_or_path);

/// Reads a machine from JSON text. Errors name `origin`.
[[nodiscard]] machine parse_machine(std::string_view text, std::string_view origin);

/// Returns the names that load_machine knows, sorted.
[[nodiscard]] std::vector<std::string> known_machines();

/// Returns a machine with one level and one rank a node: the textbook LogGP machine (Alexandrov
/// 1995), for tests and talks.
[[nodiscard]] machine uniform_machine(duration latency, duration overhead, duration gap,
                                      double gap_ns_per_byte);

}  // namespace upwash
