// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A few ranks of each class are walked, each alone with its processor and its ports. What comes to
// one was sent by another that stands for the sender, perhaps to somebody else, with the number of
// the edge. If that one leaves the number out (a hole is elsewhere for it), with the one before.
#include <algorithm>

#include "upwash/schedule/detail/price/event_run.hpp"

namespace upwash::schedule::detail {

event_run::notice_board& event_run::board_of(int rank, message_kind what) {
  constexpr std::size_t kinds = static_cast<std::size_t>(message_kind::signal) + 1;
  if (boards_.empty()) boards_.resize(kinds * ranks_.size());
  const message_kind kind = what == message_kind::offer ? message_kind::data : what;
  return boards_[static_cast<std::size_t>(rank) * kinds + static_cast<std::size_t>(kind)];
}

/// Notes all edges of which the rank will send something.
void event_run::announce(int rank, generator steps, const facts& known) {
  using enum message_kind;
  for (step what; can_be_walked_by_class(what) && steps.next(what, known);) {
    const auto notes = [&](message_kind kind) {
      board_of(rank, kind).heads.try_emplace(what.edge);
    };
    if (what.kind == step_kind::send) {
      for (const message_kind kind : {data, reply}) notes(kind);
    } else if (what.kind == step_kind::receive) {
      for (const message_kind kind : {acknowledgement, request, invitation}) notes(kind);
    }
  }
}

void event_run::expect(const message& what, duration earliest) {
  notice_board& from = board_of(what.from, what.what);
  const expectation by{what, earliest};
  auto found = from.heads.upper_bound(what.edge);
  if (found == from.heads.begin()) return come(by, earliest);
  --found;
  if (!found->second) {
    from.waiting.emplace(found->first, by);
    return;
  }
  const duration complete = ports_.arrive(what.level, what.to, *found->second, cost_of(what));
  landed(keep(what), std::max({complete, earliest, now_}));
}

/// Of an edge that does not end with its first message.
void event_run::expect_answers(int rank, step_number n, duration earliest) {
  message answer = from_peer(message_kind::acknowledgement, rank, n);
  expect(answer, earliest);
  if (answer.how != mechanism::rendezvous) return;
  answer.what = message_kind::request;
  expect(answer, earliest);
}

void event_run::come(const expectation& by, duration head) {
  const std::uint64_t which = keep(by.what);
  post(std::max({head, by.earliest, now_}), by.what.to, happening::arrive,
       subject_of(which, by.what.to, by.what.from));
}

void event_run::publish(const message& what, duration head) {
  notice_board& here = board_of(what.from, what.what);
  here.heads[what.edge] = head;
  const auto [begin, end] = here.waiting.equal_range(what.edge);
  for (auto each = begin; each != end; ++each) come(each->second, head);
  here.waiting.erase(begin, end);
}

/// Counters and members' memory would need the members.
bool event_run::can_be_walked_by_class(const step& what) const noexcept {
  switch (what.kind) {
    case step_kind::send:
    case step_kind::receive:
    case step_kind::stage:
    case step_kind::deliver: return true;
    case step_kind::copy:
    case step_kind::reduce:
      return what.left.owner == own && what.right.owner == own && what.into.owner == own;
    default: return false;
  }
}

}  // namespace upwash::schedule::detail
