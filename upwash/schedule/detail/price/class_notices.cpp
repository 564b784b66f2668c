// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/class_notices.hpp"

#include <algorithm>

namespace upwash::schedule::detail {

class_notices::board& class_notices::board_of(int rank, message_kind what) {
  constexpr std::size_t kinds = static_cast<std::size_t>(message_kind::signal) + 1;
  if (boards_.empty()) boards_.resize(kinds * static_cast<std::size_t>(uses_.team.count()));
  const message_kind kind = what == message_kind::offer ? message_kind::data : what;
  return boards_[static_cast<std::size_t>(rank) * kinds + static_cast<std::size_t>(kind)];
}

void class_notices::announce(int rank, generator steps, const facts& known) {
  using enum message_kind;
  for (step what; uses_.team.can_walk(what) && steps.next(what, known);) {
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

std::optional<duration> class_notices::expect(const message& what, duration earliest) {
  board& from = board_of(what.from, what.what);
  const expectation by{what, earliest};
  auto found = from.heads.upper_bound(what.edge);
  if (found == from.heads.begin()) {
    come(by, earliest);
    return {};
  }
  --found;
  if (!found->second) {
    from.waiting.emplace(found->first, by);
    return {};
  }
  const duration complete =
      uses_.wires.arrive(what.level, what.to, *found->second, uses_.costs.of(what));
  return std::max({complete, earliest, uses_.events.now()});
}

void class_notices::come(const expectation& by, duration head) {
  const std::uint64_t which = uses_.messages.keep(by.what);
  uses_.events.post(std::max({head, by.earliest, uses_.events.now()}), by.what.to,
                    happening::arrive, uses_.messages.subject_of(which, by.what.to, by.what.from));
}

void class_notices::publish(const message& what, duration head) {
  board& here = board_of(what.from, what.what);
  here.heads[what.edge] = head;
  const auto [begin, end] = here.waiting.equal_range(what.edge);
  for (auto each = begin; each != end; ++each) come(each->second, head);
  here.waiting.erase(begin, end);
}

}  // namespace upwash::schedule::detail
