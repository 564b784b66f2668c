// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/conduits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "upwash/base/error.hpp"
#include "upwash/conduit/loopback/loopback_row.hpp"
#include "upwash/conduit/shm/shm_row.hpp"
#include "upwash/conduit/sim/sim_row.hpp"

namespace upwash {

std::span<const conduit::conduit_row> conduits() {
  static const std::array all{
      conduit::shm_row(),
      conduit::sim_row(),
      conduit::loopback_row(),
  };
  return all;
}

const conduit::conduit_row& conduit_named(std::string_view name) {
  const auto all = conduits();
  const auto found =
      std::find_if(all.begin(), all.end(), [name](const auto& row) { return row.name == name; });
  if (found != all.end()) return *found;
  throw error(error_kind::configuration,
              fmt::format("conduit = {}: expected one of {}", name, conduit_choices()));
}

std::vector<std::string> conduit_names() {
  std::vector<std::string> names;
  for (const conduit::conduit_row& each : conduits()) names.emplace_back(each.name);
  return names;
}

std::string_view conduit_choices() {
  static const std::string choices = fmt::format("{}", fmt::join(conduit_names(), "|"));
  return choices;
}

}  // namespace upwash
