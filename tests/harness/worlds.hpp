// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds for tests that are about whole jobs, and what a job that fails says.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "upwash/conduit/loopback/loopback_world.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/runtime/run.hpp"
#include "upwash/runtime/run_on.hpp"

namespace upwash::test {

inline std::unique_ptr<conduit::world> loopback_of(int ranks) {
  conduit::loopback_options options;
  options.ranks = ranks;
  return conduit::make_loopback_world(options);
}

inline std::unique_ptr<conduit::world> sim_of(int ranks) {
  conduit::sim_options options;
  options.ranks = ranks;
  options.on = load_machine("laptop");
  return conduit::make_sim_world(options);
}

/// Runs the job and returns the text of the error that ended it, or "no error".
inline std::string message_of(conduit::world& world, function_ref<void(job&)> body,
                              const job_options& options = {}) {
  try {
    run_on(world, options, body);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace upwash::test
