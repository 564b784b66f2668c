// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/conduits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"
#include "upwash/conduit/loopback/loopback_row.hpp"
#include "upwash/conduit/shm/shm_row.hpp"
#include "upwash/conduit/sim/sim_row.hpp"

namespace upwash {

namespace {

struct named_row {
  std::string_view name;
  conduit::conduit_row (*row)();
};

constexpr named_row table[] = {
    {"shm", &conduit::shm_row},
    {"sim", &conduit::sim_row},
    {"loopback", &conduit::loopback_row},
};

constexpr std::size_t length_of_choices() {
  std::size_t length = std::size(table) - 1;
  for (const named_row& each : table) length += each.name.size();
  return length;
}

constexpr auto choices = [] {
  std::array<char, length_of_choices()> text{};
  std::size_t at = 0;
  for (const named_row& each : table) {
    if (at != 0) text[at++] = '|';
    for (const char c : each.name) text[at++] = c;
  }
  return text;
}();

}  // namespace

std::vector<conduit::conduit_row> conduits() {
  std::vector<conduit::conduit_row> all;
  for (const named_row& each : table) {
    all.push_back(each.row());
    ensure(all.back().name == each.name, "a conduit has the name that the table gives it");
  }
  return all;
}

conduit::conduit_row conduit_named(std::string_view name) {
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

std::string_view conduit_choices() noexcept { return {choices.data(), choices.size()}; }

}  // namespace upwash
