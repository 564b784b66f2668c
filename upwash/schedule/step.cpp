// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/step.hpp"

namespace upwash::schedule {

std::string_view to_string(step_kind kind) noexcept {
  constexpr std::array<std::string_view, 13> names{
      "send",    "receive", "copy",  "reduce",        "stage",      "collect",    "close",
      "deliver", "signal",  "await", "net_multicast", "net_reduce", "net_barrier"};
  static_assert(names.size() == static_cast<std::size_t>(step_kind::net_barrier) + 1);
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace upwash::schedule
