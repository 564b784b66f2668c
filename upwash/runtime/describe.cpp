// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/describe.hpp"

#include <memory>

#include "upwash/base/error.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/loopback/loopback_world.hpp"
#include "upwash/conduit/shm/shm_world.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash {
namespace {

using make_world = function_ref<std::unique_ptr<conduit::world>()>;

conduit_description describe(const char* name, make_world make) {
  conduit_description result{name, {}, {}};
  try {
    const auto world = make();
    result.can = world->endpoint_of(0).describe();
  } catch (const error& failure) {
    result.unavailable = failure.what();
  }
  return result;
}

}  // namespace

std::vector<conduit_description> describe_conduits() {
  std::unique_ptr<conduit::bootstrap> boot;
  const auto shm = [&boot] {
    knob_table table;
    add_all_knobs(table);
    const auto values = settings::defaults(table);
    boot = launch::make_bootstrap(values);
    return conduit::make_shm_world(*boot, values);
  };
  const auto sim = [] {
    conduit::sim_options options;
    options.on = load_machine("laptop");
    return conduit::make_sim_world(options);
  };
  const auto loopback = [] { return conduit::make_loopback_world({}); };
  return {describe("shm", shm), describe("sim", sim), describe("loopback", loopback)};
}

}  // namespace upwash
