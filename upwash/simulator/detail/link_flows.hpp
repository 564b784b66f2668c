// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between nodes where links are shared: ports serve them one at a time, in the order in
// which they come; who starts counts on all links between switches of its way until it has left.
// The ends of a way are the ports' business.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "upwash/simulator/detail/cost_table.hpp"
#include "upwash/simulator/detail/replay_state.hpp"

namespace upwash::simulator::detail {

class link_flows {
 public:
  /// `all` is one place. Throws `error` (argument) for a topology with too few nodes.
  link_flows(replay_state& all, cost_table& costs);

  /// Whether a message goes over links.
  [[nodiscard]] bool carries(const parcel& p) const noexcept {
    return p.from / all_.ranks_per_node != p.to / all_.ranks_per_node;
  }

  /// It is handed to its sender's port.
  void depart(std::int64_t now, const parcel& p);
  /// The first byte of one that is kept is at its receiver's port.
  void arrive(std::int64_t now, std::uint32_t kept);

  // Events.
  void port_free(std::int64_t now, std::uint32_t which);
  void share(std::int64_t now);
  void end(std::uint32_t flow);

 private:
  struct port {
    std::deque<std::pair<std::uint32_t, bool>> waiting;  ///< a message that is kept; it leaves
    bool busy = false;
  };
  struct flow {
    std::uint32_t message = 0;
    std::uint32_t port = 0;
    std::vector<std::uint32_t> links;
  };

  [[nodiscard]] std::uint32_t port_of(int rank, bool leaves) const noexcept;
  void queue(std::int64_t now, std::uint32_t at, std::uint32_t message, bool leaves);
  void serve(std::int64_t now, std::uint32_t at);
  void start(std::int64_t now, std::uint32_t at, std::uint32_t message);
  [[nodiscard]] const model::message_cost& cost_of(const parcel& p);
  void push(std::int64_t at, int rank, happening what, std::uint32_t subject);

  replay_state& all_;
  cost_table& costs_;
  std::size_t level_;  ///< the outermost: of all messages between nodes
  std::vector<port> ports_;
  std::vector<std::uint32_t> first_link_;  ///< of each switch
  std::vector<std::uint32_t> counts_;      ///< by link
  numbered<flow> flows_;
  std::vector<std::uint32_t> starting_;
  std::vector<std::int64_t> transfer_ps_;  ///< of each message that is kept, as it has its share
};

}  // namespace upwash::simulator::detail
