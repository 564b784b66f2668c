// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/transfer.hpp"

#include <array>

namespace upwash {
namespace {

constexpr std::array<std::string_view, 5> names{"eager", "signalling_put", "rendezvous",
                                                "single_copy", "matched"};
static_assert(names.size() == static_cast<std::size_t>(mechanism::matched) + 1);

}  // namespace

std::string_view to_string(mechanism how) noexcept { return names[static_cast<std::size_t>(how)]; }

std::string_view to_string(address_mode of) noexcept {
  return of == address_mode::local ? "local" : "single";
}

std::string_view to_string(sync_mode of) noexcept {
  switch (of) {
    case sync_mode::none: return "none";
    case sync_mode::mine: return "mine";
    case sync_mode::all: return "all";
  }
  return "unknown";
}

std::optional<mechanism> mechanism_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<mechanism>(i);
  }
  return std::nullopt;
}

}  // namespace upwash
