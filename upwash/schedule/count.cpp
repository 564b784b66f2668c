// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/count.hpp"

#include <algorithm>

namespace upwash::schedule {

totals count(generator steps) {
  totals sum;
  for (step s; steps.next(s); ++sum.steps) {
    sum.rounds = std::max(sum.rounds, s.round + 1);
    switch (s.kind) {
      case step_kind::send:
        ++sum.messages_sent;
        sum.bytes_sent += s.left.bytes;
        break;
      case step_kind::receive:
        ++sum.messages_received;
        sum.bytes_received += s.into.bytes;
        break;
      case step_kind::copy: sum.bytes_copied += s.into.bytes; break;
      case step_kind::reduce: sum.bytes_reduced += s.into.bytes; break;
      default: break;
    }
  }
  return sum;
}

}  // namespace upwash::schedule
