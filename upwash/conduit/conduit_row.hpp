// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The description of a conduit for code that makes jobs: a row of the table in runtime/. The folder
// NAME defines `conduit_row NAME_row()`, and cmake/conduits.txt names the folder.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/start_command.hpp"
#include "upwash/conduit/world.hpp"

namespace upwash::conduit {

using world_maker = std::unique_ptr<world> (*)(const settings& values, bootstrap* boot);

struct conduit_row {
  std::string_view name;           ///< value of the knob `conduit`
  std::string_view doc;            ///< description in one sentence
  bool several_processes = false;  ///< its ranks may be in several; then `make` needs a bootstrap
  /// Its ranks run on the machine that the knob `machine` names, in virtual time. Otherwise on this
  /// machine.
  bool simulated = false;
  /// Its ranks usually load and store each other's memory. For prices before there is a job; a job
  /// asks its team.
  bool shares_memory = false;
  bool spans_nodes = false;  ///< its processes may be on several (bootstrap::node_of)
  /// The name and the world maker of another conduit that carries the traffic inside a node.
  std::string_view inside{};
  world_maker make_inside = nullptr;

  std::span<const knob> knobs;  ///< its own knobs
  /// Those of its knobs that a job on another conduit must not set, because they would have no
  /// effect.
  std::span<const std::string_view> only_here;

  /// Makes the world of this process as the knobs describe it. The bootstrap (null for conduits of
  /// one process) must outlive the world. Collective over the processes. Throws `error`.
  world_maker make = nullptr;

  /// Finds this process's place in its job by the conduit's own engine, if upwash's launcher has
  /// not started the process. Null: launch::make_bootstrap finds the place. Collective. Throws
  /// `error`.
  std::unique_ptr<bootstrap> (*place)(const settings& values) = nullptr;

  /// Returns the command of the launcher that starts its processes. Null: upwash's own launcher.
  /// Throws `error` that names a missing requirement.
  start_command (*starter)(const settings& values, const start_request& wanted) = nullptr;

  /// Returns the requirements that this machine lacks; empty: the conduit can be used. Null: it has
  /// no requirements.
  std::string (*lacking)(const settings& values) = nullptr;

  /// Returns properties of this machine for the conduit, for `upwash info`: names and values.
  std::vector<std::pair<std::string, std::string>> (*facts)(const settings& values) = nullptr;
};

}  // namespace upwash::conduit
