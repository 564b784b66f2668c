// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/loopback/loopback_row.hpp"

#include "upwash/conduit/loopback/loopback_world.hpp"
#include "upwash/conduit/stack_bytes.hpp"

namespace upwash::conduit {
namespace {

std::unique_ptr<world> make(const settings& values, bootstrap* /*boot*/) {
  loopback_options chosen;
  chosen.ranks = values.count("ranks");
  chosen.ranks_per_endpoint = values.count("ranks_per_process");
  chosen.seed = static_cast<std::uint64_t>(values.integer("seed"));
  chosen.stack_bytes = stack_bytes(values, real_stack_bytes);
  return make_loopback_world(chosen);
}

}  // namespace

conduit_row loopback_row() {
  return {.name = "loopback",
          .doc = "fibers of one process, through the least capable conduit; for tests",
          .several_processes = false,
          .knobs = {},
          .only_here = {},
          .make = &make};
}

}  // namespace upwash::conduit
