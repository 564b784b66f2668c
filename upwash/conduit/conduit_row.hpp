// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a conduit says of itself to those who make jobs: a row of the table in runtime/. The
// folder NAME defines `conduit_row NAME_row()`, and cmake/conduits.txt names the folder.
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

  /// This process's place in its job by the conduit's own engine, where upwash's launcher has not
  /// started it; null: whoever makes jobs finds it (launch::make_bootstrap). Collective. Throws
  /// `error`.
  std::unique_ptr<bootstrap> (*place)(const settings& values) = nullptr;

  /// The command of the launcher that starts its processes; null: upwash's own does. Throws `error`
  /// that says what is lacking.
  start_command (*starter)(const settings& values, const start_request& wanted) = nullptr;

  /// What it needs and this machine has not; empty: it can be used. Null: it needs nothing.
  std::string (*lacking)(const settings& values) = nullptr;

  /// What this machine has for it, for `upwash info`: names and values.
  std::vector<std::pair<std::string, std::string>> (*facts)(const settings& values) = nullptr;
};

}  // namespace upwash::conduit
