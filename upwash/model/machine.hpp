// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A machine as the cost models and the simulator see it: levels with message costs, processor
// costs, the NIC's protocol, topology. Read from machines/NAME.json, where every value names its
// source. What a source does not give is absent; who needs it says so with `needed`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upwash/base/duration.hpp"

namespace upwash {

/// Where two ranks are closest together, from inside out.
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
    by_size,  ///< the piece whose range the size falls into (QsNet, section 2.4)
    maximum,  ///< the largest of all pieces that start at or below the size (Myrinet)
  };
  rule combine = rule::by_size;
  std::vector<alpha_beta_piece> pieces;  ///< ascending from_bytes; the first is 0 for by_size
};

/// LogGP without its overheads, which stand beside it.
struct loggp_cost {
  duration latency;            ///< L
  duration gap;                ///< g, between messages
  double gap_ns_per_byte = 0;  ///< G, between the bytes of a message
};

/// Messages between ranks that share this level and none further in. A level without costs only
/// says who is where: its messages cost what those of the next level out do.
struct machine_level {
  level_kind kind = level_kind::network;
  std::optional<int> ranks;  ///< consecutive ranks in one; absent: all, only for the outermost
  std::optional<duration> send_overhead;     ///< o_send, of the processor
  std::optional<duration> receive_overhead;  ///< o_receive
  double send_ns_per_byte = 0;               ///< added to o_send: copies by the processor
  double receive_ns_per_byte = 0;
  std::optional<loggp_cost> loggp;
  std::optional<alpha_beta_cost> alpha_beta;  ///< preferred when both are there

  [[nodiscard]] bool has_costs() const noexcept {
    return loggp.has_value() || alpha_beta.has_value();
  }
};

/// What work by the processor takes; the rows of `conduit::cost`, and sharing a core.
struct processor_costs {
  std::optional<int> cores_per_node;
  std::optional<double> copy_ns_per_byte;  ///< gamma
  std::optional<duration> combine;         ///< a message combined into another
  std::optional<duration> handler;
  std::optional<duration> push;
  std::optional<double> reduce_ns_per_byte;
  std::optional<duration> traversal;  ///< a matching queue entry looked at
  std::optional<duration> poll;
  std::optional<duration> core_switch;  ///< from one rank to another on the same core
  /// What a collective's executor takes at either end of a message, beyond its overhead.
  std::optional<duration> edge;
  /// And for each byte of one, beyond G: private memory is reached page by page.
  std::optional<double> edge_ns_per_byte;
  /// o_send and o_receive are borne by a thread on a core of its own beside each rank, one message
  /// after the other. So it is in simulated jobs; prices and replays of schedules count them as the
  /// rank's own.
  bool communication_thread = false;
};

struct nic_protocol {
  enum class matcher : std::uint8_t { processor, nic };
  enum class budget : std::uint8_t {
    separate,  ///< in and out at full rate together
    shared,    ///< traffic both ways shares one rate: each way alone runs at twice it
  };
  enum class owner : std::uint8_t { rank, node };
  std::optional<matcher> matching;
  budget traffic = budget::separate;
  owner of = owner::node;  ///< who queues behind whom at the outermost level
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
  std::uint64_t text_hash = 0;        ///< of the text that it was read from
  std::vector<machine_level> levels;  ///< from inside out; the last holds all ranks
  processor_costs processor;
  nic_protocol nic;
  std::optional<machine_topology> topology;

  /// Index of the innermost level with costs that both ranks share. O(levels).
  [[nodiscard]] std::size_t level_between(int a, int b) const noexcept;
  /// Ranks in one `kind` (INT_MAX: all). A machine without nodes has those of the level below as
  /// nodes, at least 1 rank each; without another level, those of the node.
  [[nodiscard]] int ranks_in(level_kind kind) const noexcept;
};

/// The value, or an error (configuration): machine X has no FIELD, which WHO needs.
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

/// The same with so many ranks on a node, at most as many as it has room for: 1 leaves the
/// outermost level only. Throws `error` (configuration).
[[nodiscard]] machine with_ranks_a_node(machine on, int ranks);

/// The same with so many ranks where it has one: they share its core, as fibers of a process do.
/// Throws `error` (configuration).
[[nodiscard]] machine with_ranks_a_core(machine on, int ranks);

/// The same with or without a communication thread for each rank.
[[nodiscard]] machine with_communication_thread(machine on, bool threads);

/// Finds and reads a machine: a path (anything with a slash or ending in .json), else NAME.json
/// in upwash/machines of the user's config folder, beside the installed library, in the source
/// tree. Either may end in ":ranks_a_node=N", ":ranks_a_core=N" and ":communication_thread=0" or 1.
/// Errors
/// (configuration): an unknown name, with the known ones and the nearest; a file that cannot be
/// read or is malformed, with line, key and what is valid.
[[nodiscard]] machine load_machine(std::string_view name_or_path);

/// Reads a machine from JSON text; `origin` stands in the errors.
[[nodiscard]] machine parse_machine(std::string_view text, std::string_view origin);

/// Names that load_machine knows, sorted.
[[nodiscard]] std::vector<std::string> known_machines();

/// One level, one rank a node: the textbook LogGP machine (Alexandrov 1995), for tests and talk.
[[nodiscard]] machine uniform_machine(duration latency, duration overhead, duration gap,
                                      double gap_ns_per_byte);

}  // namespace upwash
