// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A network of switches, simulated packet by packet: virtual cut-through, credits, output-queued
// switches with room for each pair of input and output (Kumar 2005, section 8.1), or input-queued
// ones. One event when a packet reaches an output, and one when an output with waiting packets
// becomes free.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/random.hpp"
#include "upwash/model/topology.hpp"
#include "upwash/model/topology_fat_tree.hpp"
#include "upwash/model/topology_spanning_tree.hpp"
#include "upwash/simulator/network/event_queue.hpp"
#include "upwash/simulator/network/parameters.hpp"
#include "upwash/simulator/network/traffic_source.hpp"

namespace upwash::simulator {

namespace detail {
class input_queues;
class slot_arbiter;
class combine_units;
}  // namespace detail

/// Link n < nodes leads from node n to its switch. The other links lead from the ports of the
/// switches, in their order. A lane is a virtual channel of a link with its own queue and credits.
/// Memory: about 90 bytes a link and lane (with crosspoint credits also a byte an output and two a
/// packet of buffer), 64 a packet in flight, 88 a node.
class packet_network {
 public:
  /// `in` and `from` outlive the network. Equal arguments give equal runs on every machine.
  packet_network(const model::topology& in, const network_parameters& with, traffic_source& from,
                 std::uint64_t seed);
  ~packet_network();
  packet_network(const packet_network&) = delete;
  packet_network& operator=(const packet_network&) = delete;

  /// Runs all events up to and including `until`, or until stopped. Throws `error` (fault) if
  /// packets wait for each other and nothing moves, if they wait for a link that carries nothing
  /// for long (network_parameters::patience), or if a packet goes in circles.
  void run(duration until);
  /// Ends `run` after the current event; for sources.
  void stop() noexcept { stopped_ = true; }
  /// Runs until no packet is in flight and no source offers any.
  void drain();

  /// Adds a group of nodes for multicasts and reductions, and returns its number. Only with
  /// output-queued switches.
  [[nodiscard]] std::int32_t add_group(model::spanning_tree tree);

  /// With one budget: blocks a node's NIC in both directions for `time`, after its current work.
  void hold(int node, duration time);

  /// Reports that the source has packets for a node again, from now on.
  void has_packets(int node);

  [[nodiscard]] duration now() const noexcept { return duration::from_ps(now_ps_); }
  /// Returns the time of the next event; duration::max() if there is none.
  [[nodiscard]] duration next_time() { return duration::from_ps(events_queue_.next_ps()); }
  [[nodiscard]] std::uint64_t packets_sent() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t packets_arrived() const noexcept { return arrived_; }
  /// Returns the number of link traversals by packets, including the nodes' links.
  [[nodiscard]] std::uint64_t packet_hops() const noexcept { return hops_; }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  /// Returns a number that depends on every packet put on a link, and on their order.
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }
  /// Returns the number of packets that each link carried.
  [[nodiscard]] const std::vector<std::uint64_t>& carried() const noexcept { return carried_; }

  /// Throws `error` (fault) unless all sent packets have arrived and all credits are back.
  void check_at_rest();

 private:
  friend class detail::input_queues;
  friend class detail::slot_arbiter;
  friend class detail::combine_units;
  static constexpr std::uint32_t none = UINT32_MAX;
  /// Lines of the queue. Packets reach outputs after equal delays. Links become free in the order
  /// in which packets of one size were put on them.
  static constexpr unsigned line_of_reached = 0;
  static constexpr unsigned line_of_free = 1;

  /// The kind of an event: key / 8 is the link, key % 8 the kind.
  enum class happening : std::uint8_t {
    delivered,
    reached,
    wake,
    crossbar,
    combined,
    joined,
    acknowledged
  };

  /// One cache line.
  struct alignas(64) packet {
    model::bound goal;
    std::uint32_t bytes;
    std::int64_t born_ps;
    std::uint32_t next;  ///< in its queue
    std::uint32_t held;  ///< the lane by which it came, and that has its credit
    std::uint32_t hops;
    std::uint32_t tag;
    std::uint32_t out = none;  ///< input-queued: the requested lane; reductions: the switch
    std::uint32_t queue = 0;   ///< input-queued: the queue in which it waits; reductions: the unit
    std::uint32_t share = none;  ///< multicast: the copies that share one credit
    std::int32_t group = -1;
    std::uint32_t from = 0;  ///< node; for results of reductions one of the senders
    packet_kind kind = packet_kind::single;
  };
  struct queue {
    std::uint32_t head = none;
    std::uint32_t tail = none;
    std::uint32_t size = 0;
  };
  struct link {
    std::int64_t free_ps = 0;
    std::int64_t wake_ps = -1;    ///< time at which the link is served
    std::int32_t to_switch = -1;  ///< -1: to a node
    std::uint32_t to = 0;         ///< its port, or the node
    std::uint32_t queued = 0;     ///< packets in its lanes
    std::uint32_t turn = 0;       ///< the lane that sent last
  };
  struct lane {
    queue waiting;                 ///< packets for this link
    std::uint32_t held = 0;        ///< credits in use: packets in flight or at the input
    std::uint32_t returns = none;  ///< the first returning credit
    std::uint32_t last_return = none;
    std::uint32_t outputs = 0;   ///< the first link of the switch at its end
    std::uint8_t under_way = 0;  ///< crosspoint: packets not yet at an output
    std::uint8_t fullest = 0;    ///< crosspoint: the largest number of packets at one of them
    bool stalled = false;        ///< waits for a credit that is not returning yet
  };
  struct credit_return {
    std::int64_t at_ps;
    std::uint32_t next;
    std::uint32_t port : 31;
    std::uint32_t last : 1;  ///< the input holds no other part of the packet: the credit itself
  };
  /// Copies of one multicast packet in a switch. The credit returns when all have left.
  struct copies {
    std::uint32_t left;
    std::uint32_t in_lane;
    std::uint32_t next;  ///< free ones
    std::int32_t group;
  };
  struct nic {
    offered_packet next;
    bool has_next = false;
    int in_flight = 0;           ///< packets without acknowledgement
    std::int64_t free_ps = 0;    ///< time from which it can read a packet
    std::int64_t budget_ps = 0;  ///< one_budget: time from which it can receive one
  };

  void build_links();
  [[nodiscard]] bool begin(const event_queue::event& next, std::int64_t until_ps);
  void handle(const event_queue::event& what);
  [[nodiscard]] static event_queue::event made(std::int64_t at_ps, happening what,
                                               std::uint32_t which, std::uint32_t value) noexcept {
    return event_queue::event::of(at_ps, which * 8 + static_cast<std::uint32_t>(what), value);
  }
  void schedule(std::int64_t at_ps, happening what, std::uint32_t which, std::uint32_t value) {
    events_queue_.push(made(at_ps, what, which, value));
  }
  [[nodiscard]] bool wakes_at(std::uint32_t which, std::int64_t at_ps) noexcept;
  void wake(std::uint32_t which, std::int64_t at_ps);
  [[nodiscard]] bool wakes_now(std::uint32_t which) noexcept;

  // Links.
  void serve(std::uint32_t which);
  void serve_node(std::uint32_t which);
  [[nodiscard]] bool send_from_node(std::uint32_t which);
  [[nodiscard]] std::uint32_t lane_that_can_send(std::uint32_t which);
  void put_on_link(std::uint32_t which, std::uint32_t on_lane, std::uint32_t packet_id);
  void acknowledge(const packet& p);
  void deliver(std::uint32_t which, std::uint32_t packet_id, std::int64_t at_ps);

  // Switches.
  void reach_output(std::uint32_t packet_id);
  void choose_way(packet& of, const link& came);
  [[nodiscard]] std::uint32_t route(packet& of);
  [[nodiscard]] int choose(std::uint32_t first_link, const model::hop& among);
  void enqueue(std::uint32_t out_lane, std::uint32_t packet_id);

  // Collectives.
  [[nodiscard]] const model::spanning_tree::row& row_of(std::int32_t group, int of_switch,
                                                        int came_by) const;
  void spread(std::uint32_t packet_id, int of_switch, int except_port);
  void leave_input(const packet& p, std::uint32_t which);
  void leave_shared(std::uint32_t share);
  void leave_together(const copies& all, int of_switch);

  // Credits.
  [[nodiscard]] bool has_room(std::uint32_t in_lane);
  void occupy(std::uint32_t in_lane, std::uint32_t port);
  void give_back(std::uint32_t in_lane, std::uint32_t port, bool last = true);
  void more_returns();
  void collect_returns(std::uint32_t in_lane);
  void wait_for_credit(std::uint32_t in_lane);

  [[nodiscard]] std::int64_t time_of(std::uint32_t bytes) const noexcept {
    return with_.ps_per_byte * bytes;
  }
  [[nodiscard]] std::uint32_t room_behind_crossbar() const noexcept {
    return static_cast<std::uint32_t>(with_.output_buffer);
  }
  template <class Number>
  [[nodiscard]] Number link_of(Number of_lane) const noexcept {
    return of_lane >> lane_bits_;
  }
  [[nodiscard]] std::uint32_t first_link(int of_switch) const noexcept {
    return first_links_[static_cast<std::size_t>(of_switch)];
  }
  void append(queue& to, std::uint32_t packet_id) noexcept;
  [[nodiscard]] std::uint32_t take_first(queue& from) noexcept;
  [[nodiscard]] std::uint32_t new_packet(const packet& fresh);
  void free_packet(std::uint32_t packet_id) noexcept;
  [[noreturn]] void nothing_moves() const;
  void look_for_starved(std::int64_t now_ps);
  [[noreturn]] void in_circles(const packet& p) const;

  const model::topology& in_;
  network_parameters with_;
  traffic_source& from_;
  unsigned lane_bits_ = 0;
  std::uint32_t room_;  ///< packets of buffer
  std::uint32_t most_ports_ = 1;
  std::int64_t to_output_ps_;    ///< from the start on a link to the output of the next switch
  std::int64_t to_node_ps_;      ///< from the last byte on a link to the node's processor
  const model::fat_tree* tree_;  ///< the topology if it is a fat tree: calls are then not virtual
  event_queue events_queue_;
  std::vector<link> links_;
  std::vector<std::uint64_t> carried_;  ///< by link: packets
  std::vector<std::uint32_t> claimed_;  ///< by link: packets that chose it and are not sent yet
  std::vector<lane> lanes_;
  std::vector<std::uint8_t> occupied_;  ///< by lane: packets at each crosspoint of its input
  std::vector<std::uint16_t> as_full_;  ///< by lane: crosspoints with 1, 2, ... packets
  std::vector<std::uint32_t> first_links_;
  std::vector<nic> nics_;
  std::vector<packet> packets_;
  std::vector<credit_return> returns_;
  std::uint32_t free_packet_ = none;
  std::uint32_t free_return_ = none;
  std::vector<copies> shares_;
  std::vector<model::spanning_tree> groups_;
  std::uint32_t free_share_ = none;
  std::uint32_t crosspoints_ = 1;  ///< of an input: the ports and the combine units
  std::uint64_t live_ = 0;         ///< packets in flight, copies included
  std::unique_ptr<detail::combine_units> combines_;
  // For input-queued switches one of these:
  std::unique_ptr<detail::input_queues> inputs_;  ///< matched as they become free
  std::unique_ptr<detail::slot_arbiter> slots_;   ///< matched in rounds
  std::uint32_t most_hops_ = 0;
  std::int64_t patience_ps_ = 0;
  std::int64_t next_look_ps_ = 0;
  std::vector<std::uint64_t> carried_at_look_;  ///< by link; -1 for links without waiting packets
  std::int64_t now_ps_ = 0;
  bool stopped_ = false;
  bool follows_time_ = false;  ///< of the source
  std::uint64_t sent_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t hops_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t digest_ = 0;
  random_stream draws_;
};

}  // namespace upwash::simulator
