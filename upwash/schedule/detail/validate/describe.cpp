// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/validate/describe.hpp"

#include <fmt/format.h>

#include <array>

namespace upwash::schedule::detail {
namespace {

constexpr std::array<std::string_view, buffer_kinds> buffer_names{"none", "input", "output",
                                                                  "scratch", "shared"};

}  // namespace

std::string_view name_of(step_kind kind) noexcept { return to_string(kind); }

std::string_view name_of(buffer of) noexcept { return buffer_names[static_cast<std::size_t>(of)]; }

std::string describe(int rank, std::size_t number, const step& s) {
  return fmt::format("rank {}, step {} ({}, round {})", rank, number, name_of(s.kind), s.round);
}

}  // namespace upwash::schedule::detail
