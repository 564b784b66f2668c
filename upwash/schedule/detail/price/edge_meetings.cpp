// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/edge_meetings.hpp"

#include <algorithm>

namespace upwash::schedule::detail {

void edge_meetings::await_invitation(int rank, step_number n, int to, duration at) {
  const meeting_key key{rank, to, uses_.windows.step_at(rank, n).edge, true};
  if (const auto met = meetings_.meet(key, meetings::side::waiting, n)) {
    uses_.events.post(std::max(at, uses_.messages.take(*met).arrived), rank, happening::invited, n);
  }
}

void edge_meetings::await_message(int rank, step_number n, int from, duration at) {
  open_step& s = uses_.windows.at(rank, n);
  const meeting_key key{rank, from, s.what.edge, false};
  if (const auto met = meetings_.meet(key, meetings::side::waiting, n)) {
    s.message = *met;
    uses_.events.post(std::max(at, uses_.messages[*met].arrived), rank, happening::take, n);
  }
}

void edge_meetings::come(std::uint64_t which) {
  const message& m = uses_.messages[which];
  const bool invites = m.what == message_kind::invitation;
  const std::vector<std::uint32_t>& collected = collects_[static_cast<std::size_t>(m.to)];
  if (!invites && std::find(collected.begin(), collected.end(), m.edge) != collected.end()) {
    return uses_.events.post(m.arrived, m.to, happening::collect, which);
  }
  const auto met = meetings_.meet({m.to, m.from, m.edge, invites}, meetings::side::message, which);
  if (!met) return;
  if (invites) {
    const message came = uses_.messages.take(which);
    return uses_.events.post(came.arrived, came.to, happening::invited, *met);
  }
  uses_.windows.at(m.to, *met).message = which;
  uses_.events.post(m.arrived, m.to, happening::take, *met);
}

void edge_meetings::collect(int rank, std::uint32_t edge, duration at) {
  collects_[static_cast<std::size_t>(rank)].push_back(edge);
  for (const std::uint64_t which : meetings_.take_messages(rank, edge)) {
    uses_.events.post(std::max(at, uses_.messages[which].arrived), rank, happening::collect, which);
  }
}

}  // namespace upwash::schedule::detail
