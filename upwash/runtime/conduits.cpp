// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/conduits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"
#include "upwash/conduit/composite/process_composite.hpp"
#include "upwash/runtime/detail/conduit_list.hpp"

namespace upwash {

namespace {

/// Of A+B. Its knobs stand with A's and B's.
conduit::conduit_row both(const runtime_detail::listed_conduit& listed) {
  const conduit::conduit_row inner = listed.inside();
  conduit::conduit_row row = listed.row();
  row.name = listed.name;
  row.doc = "one inside nodes, the other between them";
  row.shares_memory = inner.shares_memory;
  row.knobs = {};
  row.only_here = {};
  row.inside = inner.name;
  row.make_inside = inner.make;
  return row;
}

}  // namespace

std::vector<conduit::conduit_row> conduits() {
  std::vector<conduit::conduit_row> all;
  for (const runtime_detail::listed_conduit& each : runtime_detail::listed_conduits()) {
    all.push_back(each.inside == nullptr ? each.row() : both(each));
    ensure(all.back().name == each.name, "a conduit has the name of its folder");
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

std::unique_ptr<conduit::world> make_world(const conduit::conduit_row& on, const settings& values,
                                           conduit::bootstrap* boot) {
  if (on.make_inside == nullptr) return on.make(values, boot);
  return conduit::make_process_composite(on.make_inside, on.make, values, *boot);
}

std::vector<std::string> conduit_names() {
  std::vector<std::string> names;
  for (const conduit::conduit_row& each : conduits()) names.emplace_back(each.name);
  return names;
}

std::string_view conduit_choices() noexcept { return runtime_detail::listed_choices(); }

}  // namespace upwash
