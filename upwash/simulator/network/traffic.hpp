// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Synthetic traffic: pairs of nodes and rates. Open loop: packets form a Poisson process,
// independent of the network. Closed loop: a node has a fixed number of packets in flight; each
// arrival releases the next.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/simulator/network/parameters.hpp"
#include "upwash/simulator/network/traffic_source.hpp"

namespace upwash::simulator {

class packet_network;

struct traffic_pattern {
  enum class kind : std::uint8_t {
    uniform,       ///< any other node
    hot_spot,      ///< one node with some probability, otherwise any other
    transpose,     ///< exchanges the halves of the number's bits
    bit_reversal,  ///< the bits in reverse order
    complement,    ///< all bits inverted
    shift,         ///< p to (p + by) mod P
    prefix,        ///< p to p xor by
  };
  kind is = kind::uniform;
  int by = 1;            ///< shift, prefix: the distance; hot_spot: the node
  double portion = 0.1;  ///< hot_spot: of the packets
  int senders = 0;       ///< only the nodes below; 0: all

  /// Returns the fixed partner of a node; the node itself: it is silent. Not for uniform and
  /// hot_spot.
  [[nodiscard]] int partner(int node, int nodes) const noexcept;
  [[nodiscard]] bool is_random() const noexcept {
    return is == kind::uniform || is == kind::hot_spot;
  }
};

/// Reads NAME[:key=value,...]: uniform, hot-spot:node=0,percent=10, transpose, bit-reversal,
/// complement, shift:by=1, prefix:by=1; each with senders=N. Throws `error` (argument) for invalid
/// text, and for a pattern that does not fit the number of nodes.
[[nodiscard]] traffic_pattern parse_traffic(std::string_view text, int nodes);

/// The arrivals in a window of time.
class arrival_record {
 public:
  arrival_record() : latencies_(64 * steps, 0) {}

  void add(std::int64_t latency_ps, std::uint32_t bytes);
  [[nodiscard]] std::uint64_t packets() const noexcept { return packets_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] double mean_ns() const noexcept;
  /// Returns the latency that `portion` of the packets do not reach, accurate to 1.6 %; 0 without
  /// packets.
  [[nodiscard]] double quantile_ns(double portion) const noexcept;

 private:
  static constexpr unsigned step_bits = 5;
  static constexpr std::size_t steps = 1U << step_bits;  ///< bins for each power of two

  std::vector<std::uint64_t> latencies_;
  std::uint64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
  __extension__ unsigned __int128 total_ps_ = 0;
};

/// Memory: 40 bytes a node.
class synthetic_traffic final : public traffic_source {
 public:
  struct plan {
    traffic_pattern pattern;
    double load = 1;           ///< relative to a link's rate
    int outstanding = 0;       ///< closed loop: packets of a node in flight; 0: open loop
    std::int64_t from_ps = 0;  ///< arrivals in [from, to) are recorded
    std::int64_t to_ps = INT64_MAX;
    std::int64_t end_ps = INT64_MAX;  ///< no packet is created from here on
    std::uint64_t seed = 1;
    bool through_others = false;  ///< each packet passes through a random node (Valiant)
  };

  synthetic_traffic(int nodes, const network_parameters& with, const plan& what);

  /// Closed loop: sets the network that is told when a node may send again.
  void attach(packet_network& network) noexcept { network_ = &network; }

  bool next(int node, std::int64_t now_ps, offered_packet& fresh) override;
  void arrived(const arrived_packet& what) override;
  [[nodiscard]] bool follows_time() const override { return plan_.outstanding > 0; }

  [[nodiscard]] const arrival_record& record() const noexcept { return record_; }
  /// Returns the number of sending nodes.
  [[nodiscard]] int senders() const noexcept { return senders_; }

 private:
  struct sender {
    random_stream random{0, 0};
    std::int64_t born_ps = 0;
    bool silent = false;
    std::deque<std::int64_t> born_next;  ///< closed loop: times from which the next packets may be
                                         ///< created
  };

  [[nodiscard]] int destination(int node, sender& of);

  plan plan_;
  packet_network* network_ = nullptr;
  network_parameters with_;
  int nodes_;
  int senders_ = 0;
  std::uint64_t mean_gap_ps_ = 0;
  std::vector<sender> all_;
  arrival_record record_;
};

/// Returns an exponentially distributed number of mean 2^32, by comparisons only (von Neumann
/// 1951): the same on every machine.
[[nodiscard]] std::uint64_t exponential(random_stream& from) noexcept;

}  // namespace upwash::simulator
