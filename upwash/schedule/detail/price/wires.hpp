// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What travels: from a rank through its port, and in by the port of the other.
#pragma once

#include "upwash/schedule/detail/price/class_notices.hpp"
#include "upwash/schedule/detail/price/edge_meetings.hpp"
#include "upwash/schedule/detail/price/processors.hpp"

namespace upwash::schedule::detail {

/// Owns how hand-overs are ordered; the ports are beside it, since rounds that repeat put them off.
/// Used against messages, ports and costs; hands what has come to meetings, processors (by events)
/// or a NIC that answers.
class wires {
 public:
  /// What it is used against.
  struct uses {
    const walked_ranks& team;
    agenda& events;
    processors& at_work;
    messages_under_way& messages;
    message_charges& costs;
    ports& held;
    edge_meetings& meetings;
    class_notices& notices;
  };
  /// `shares_cores`: what goes inside a node takes processors from other ranks, which move it.
  wires(const uses& all, bool shares_cores) : uses_(all), shares_cores_(shares_cores) {}

  /// A message is handed over, its overhead paid.
  void launch(const message& what, duration at);
  /// The same, of the request of a get, which the other NIC answers.
  void launch_get(const message& request, duration at) {
    nics_answer_ = true;
    launch(request, at);
  }
  /// It is its turn at the port.
  void depart(std::uint64_t which, duration at);
  /// Its first byte is there.
  void arrive(std::uint64_t which, duration at);
  /// By class: what will come to one that waits.
  void expect(const message& what, duration earliest) {
    if (const auto complete = uses_.notices.expect(what, earliest)) {
      land(uses_.messages.keep(what), *complete);
    }
  }

 private:
  void land(std::uint64_t which, duration complete);

  uses uses_;
  bool shares_cores_;
  bool nics_answer_ = false;  ///< a get has been asked for
};

}  // namespace upwash::schedule::detail
