// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/describe.hpp"

#include <memory>

#include "upwash/base/error.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/runtime/conduits.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash {
namespace {

conduit_description describe(const conduit::conduit_row& row, const settings& values) {
  conduit_description result{row.name, row.doc, row.several_processes, {}, {}, {}};
  if (row.facts != nullptr) result.facts = row.facts(values);
  try {
    std::unique_ptr<conduit::bootstrap> boot;
    if (row.several_processes) boot = launch::make_bootstrap(values);
    result.can = make_world(row, values, boot.get())->endpoint_of(0).describe();
  } catch (const error& failure) {
    result.unavailable = failure.what();
  }
  return result;
}

}  // namespace

std::vector<conduit_description> describe_conduits() {
  knob_table table;
  add_all_knobs(table);
  const auto values = settings::defaults(table);
  std::vector<conduit_description> all;
  for (const conduit::conduit_row& each : conduits()) all.push_back(describe(each, values));
  return all;
}

}  // namespace upwash
