// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/step.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace upwash::schedule {

std::string_view to_string(step_kind kind) noexcept {
  constexpr std::array<std::string_view, 13> names{
      "send",    "receive", "copy",  "reduce",        "stage",      "collect",    "close",
      "deliver", "signal",  "await", "net_multicast", "net_reduce", "net_barrier"};
  static_assert(names.size() == static_cast<std::size_t>(step_kind::net_barrier) + 1);
  return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(buffer of) noexcept {
  constexpr std::array<std::string_view, buffer_kinds> names{"none", "input", "output", "scratch",
                                                             "shared"};
  return names[static_cast<std::size_t>(of)];
}

std::string name_step(std::uint64_t number, const step& s) {
  return fmt::format("step {} ({}, round {})", number, to_string(s.kind), s.round);
}

std::string stranger_of(const step& s, int ranks) {
  const std::array named{s.left.owner, s.right.owner, s.into.owner};
  const auto found =
      std::ranges::find_if(named, [&](int rank) { return rank < own || rank >= ranks; });
  return fmt::format("names rank {} of {}", found == named.end() ? s.peer : *found, ranks);
}

}  // namespace upwash::schedule
