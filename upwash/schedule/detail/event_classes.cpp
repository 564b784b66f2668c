// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank of each class is walked, alone with its processor and its ports. What comes to it was
// sent by the one that stands for the sender's class, perhaps to somebody else: with the edge's
// number, or if that one has nothing to send so (a hole is elsewhere for it), the next.
#include <algorithm>

#include "upwash/schedule/detail/event_run.hpp"

namespace upwash::schedule::detail {

event_run::notice_board& event_run::board_of(const message& what) {
  constexpr std::size_t kinds = static_cast<std::size_t>(message_kind::signal) + 1;
  if (boards_.empty()) boards_.resize(kinds * ranks_.size());
  const message_kind kind = what.what == message_kind::offer ? message_kind::data : what.what;
  return boards_[static_cast<std::size_t>(what.from) * kinds + static_cast<std::size_t>(kind)];
}

void event_run::expect(const message& what, duration earliest) {
  notice_board& from = board_of(what);
  const auto found = from.heads.lower_bound(what.edge);
  if (found == from.heads.end()) {
    from.waiting.emplace(what.edge, expectation{what, earliest});
    return;
  }
  const duration complete = ports_.arrive(what.level, what.to, found->second, cost_of(what));
  landed(keep(what), std::max(complete, earliest));
}

/// Of an edge that does not end with its first message.
void event_run::expect_answers(int rank, step_number n, duration earliest) {
  message answer = from_peer(message_kind::acknowledgement, rank, n);
  expect(answer, earliest);
  if (answer.how != mechanism::rendezvous) return;
  answer.what = message_kind::request;
  expect(answer, earliest);
}

void event_run::publish(const message& what, duration head) {
  notice_board& here = board_of(what);
  here.heads.try_emplace(what.edge, head);
  for (auto each = here.waiting.begin(); each != here.waiting.end() && each->first <= what.edge;) {
    const expectation by = each->second;
    each = here.waiting.erase(each);
    const std::uint64_t which = keep(by.what);
    post(std::max(head, by.earliest), by.what.to, happening::arrive,
         subject_of(which, by.what.to, by.what.from));
  }
}

/// Counters and members' memory would need the members.
bool event_run::can_be_walked_by_class(const step& what) const noexcept {
  switch (what.kind) {
    case step_kind::send:
    case step_kind::receive:
    case step_kind::stage: return true;
    case step_kind::copy:
    case step_kind::reduce:
      return what.left.owner == own && what.right.owner == own && what.into.owner == own;
    default: return false;
  }
}

}  // namespace upwash::schedule::detail
