// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a conduit says of itself to those who make jobs: a row of the table in runtime/. The
// folder NAME defines `conduit_row NAME_row()`, and cmake/conduits.txt names the folder.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/world.hpp"

namespace upwash::conduit {

using world_maker = std::unique_ptr<world> (*)(const settings& values, bootstrap* boot);

struct conduit_row {
  std::string_view name;           ///< value of the knob `conduit`
  std::string_view doc;            ///< what it is, in one sentence
  bool several_processes = false;  ///< its ranks may be; then `make` needs a bootstrap
  /// What its ranks run on is the machine that the knob `machine` names, in virtual time; else this
  /// one.
  bool simulated = false;
  /// Its ranks usually load and store each other's memory: for prices before there is a job, which
  /// asks its team.
  bool shares_memory = false;
  bool spans_nodes = false;  ///< its processes may be on several (bootstrap::node_of)
  /// Another conduit carries what stays inside a node: that one's name, and how it makes worlds.
  std::string_view inside{};
  world_maker make_inside = nullptr;

  std::span<const knob> knobs;  ///< of its own
  /// Of them, those that a job on another conduit must not set: they would be passed over.
  std::span<const std::string_view> only_here;

  /// The world of this process as the knobs describe it; the bootstrap (null for conduits of one
  /// process) must outlive it. Collective over the processes. Throws `error`.
  world_maker make = nullptr;
};

}  // namespace upwash::conduit
