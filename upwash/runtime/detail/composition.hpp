// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a process that hosts ranks is made of, and how the knobs make it.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "upwash/base/knobs.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/world.hpp"
#include "upwash/core/job.hpp"
#include "upwash/matching/options.hpp"
#include "upwash/model/topology.hpp"
#include "upwash/neighborhood/install.hpp"
#include "upwash/observe/trace_files.hpp"
#include "upwash/runtime/detail/turn_watch.hpp"
#include "upwash/runtime/run.hpp"
#include "upwash/runtime/tagged_edges.hpp"
#include "upwash/streaming/adapt.hpp"
#include "upwash/tuning/stream_notes.hpp"
#include "upwash/tuning/tuned_selector.hpp"

namespace upwash::runtime_detail {

/// What the layers above core are given on each job.
struct installation {
  collective::installation collectives;
  matching::message_options messages;
  streaming::installation streams{};
  neighborhoods::machine_by_name* machine = nullptr;  ///< for schemes of neighborhoods

  void on(job& here) const;
};

/// What a process needs to host ranks. Destroyed in reverse: the world before its bootstrap.
struct composition {
  pid_t process = getpid();
  additions own;  ///< the program's
  settings values;
  std::unique_ptr<conduit::bootstrap> boot;  ///< null: no launcher, and no conduit that needs one
  std::unique_ptr<turn_watch> turns;         ///< of checked runs
  std::unique_ptr<observe::trace_claim> trace;  ///< of a process that merges its own trace
  std::unique_ptr<conduit::world> world;
  collective::registry algorithms;                ///< shared by the ranks of this process,
  std::unique_ptr<streaming::price_list> prices;  ///< as this; known once all has been learned
  /// Shared too; more than one where ranks are to choose as in processes of their own.
  std::vector<std::unique_ptr<tuning::tuned_selector>> selects;
  std::unique_ptr<tuning::stream_notes> streams;  ///< of all
  std::string forced;                             ///< algorithms, as installation has them
  std::unique_ptr<neighborhoods::machine_by_name> machine;  ///< of prices; known as `prices` are
  tagged_edges edges;
  job_options options;
  bool simulated = false;  ///< on the machine that the knob `machine` names

  [[nodiscard]] tuning::tuned_selector& selector_of(int rank) const {
    return *selects[static_cast<std::size_t>(rank) % selects.size()];
  }
  [[nodiscard]] installation layers(int rank);
  [[nodiscard]] tuning::tuning_request tuning() const {
    return {values.text("tuning"),
            values.text("conduit"),
            values.text("machine"),
            values.source("machine") != knob_source::fallback,
            simulated,
            boot ? boot->node_count() : 1,
            build_fingerprint(own.program)};
  }
  /// Whether one process has all ranks: then nothing needs to be agreed about.
  [[nodiscard]] bool alone() const { return world->local_ranks() == world->size(); }
};

/// Reads the knobs and makes the world that they describe. What is made before an error stays:
/// it is the way to tell of it.
void compose(composition& made);

/// The selectors of its ranks, which have learned what is known where nobody needs to agree.
/// `network`: what packets cross, or null.
void make_selectors(composition& made, const std::shared_ptr<const model::topology>& network);

/// What the layers above core do on every rank before the program.
void install_layers(job& here, composition& parts);

[[nodiscard]] inline bool launched(const settings& values) {
  return values.integer("boot_control") >= 0;
}

}  // namespace upwash::runtime_detail
