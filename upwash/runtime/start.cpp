// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/start.hpp"

#include <algorithm>
#include <string>

#include "upwash/launch/launch_through.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash {
namespace {

/// The knobs of the ranks, where they are known here.
settings values_of(const launch::launch_options& options) {
  knob_table table;
  add_all_knobs(table);
  settings values = settings::from_environment(table);
  for (const std::string& entry : options.environment) {
    const std::size_t equals = entry.find('=');
    for (const knob& row : table.rows()) {
      if (knob_variable(row.name) != entry.substr(0, equals)) continue;
      values.set(row.name, entry.substr(equals + 1), knob_source::environment);
    }
  }
  return values;
}

}  // namespace

int start(const conduit::conduit_row& on, const launch::launch_options& options) {
  if (on.starter == nullptr) return launch::launch(options);
  const settings values = values_of(options);
  return launch::launch_through(
      [&](const conduit::start_request& wanted) { return on.starter(values, wanted); }, options);
}

}  // namespace upwash
