// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/count.hpp"

#include <algorithm>

namespace upwash::schedule {
namespace {

constexpr std::uint64_t word_bytes = 8;

std::uint64_t received_bytes(const step& s, const facts& known) {
  const bool is_known = s.length_slot != step::no_slot &&
                        static_cast<std::size_t>(s.length_slot) < known.slots.size();
  return is_known ? known.slots[static_cast<std::size_t>(s.length_slot)] : s.into.bytes;
}

}  // namespace

totals count(generator steps, const facts& known, std::uint64_t most_steps) {
  totals sum;
  for (step s; sum.steps <= most_steps && steps.next(s, known); ++sum.steps) {
    sum.rounds = std::max(sum.rounds, s.round + 1);
    switch (s.kind) {
      case step_kind::send:
        ++sum.messages_sent;
        sum.bytes_sent += s.left.bytes;
        sum.header_bytes_sent += word_bytes * s.header.count;
        break;
      case step_kind::receive:
        ++sum.messages_received;
        sum.bytes_received += received_bytes(s, known);
        sum.header_bytes_received += word_bytes * s.header.count;
        break;
      case step_kind::copy: sum.bytes_copied += s.into.bytes; break;
      case step_kind::reduce: sum.bytes_reduced += s.into.bytes; break;
      case step_kind::signal: ++sum.signals; break;
      case step_kind::await: ++sum.awaits; break;
      case step_kind::stage: ++sum.stages; break;
      case step_kind::collect:
      case step_kind::deliver:
      case step_kind::close: break;
      case step_kind::net_multicast:
      case step_kind::net_reduce:
      case step_kind::net_barrier: ++sum.network_operations; break;
    }
  }
  return sum;
}

}  // namespace upwash::schedule
