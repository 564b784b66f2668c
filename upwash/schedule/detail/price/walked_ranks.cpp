// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/walked_ranks.hpp"

namespace upwash::schedule::detail {

int walked_ranks::standing_for(int rank, int peer, bool sends) const noexcept {
  if (by_class()) {
    return static_cast<int>(plan_.classes->of_rank[static_cast<std::size_t>(peer)]);
  }
  if (plan_.walked == plan_.ranks) return peer;
  if (plan_.walked == 1) return 0;
  std::int64_t distance = std::int64_t{peer} - rank;
  const std::int64_t team = plan_.ranks;
  const std::int64_t tie = sends ? 0 : 1;
  if (2 * distance + tie > team) distance -= team;
  if (2 * distance - 1 + tie < -team) distance += team;
  const std::int64_t stands = (rank + distance) % plan_.walked;
  return static_cast<int>(stands < 0 ? stands + plan_.walked : stands);
}

message walked_ranks::message_to(int peer, message_kind what, int rank, std::uint64_t bytes) const {
  message m;
  m.what = what;
  m.from = rank;
  m.to =
      standing_for(rank, peer, what != message_kind::request && what != message_kind::invitation);
  m.level = level(rank, peer);
  m.bytes = bytes;
  return m;
}

bool walked_ranks::can_walk(const step& what) const noexcept {
  if (!by_class()) return true;
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
