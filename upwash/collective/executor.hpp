// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs schedules without blocking: any number in flight, on any teams, moved on by every wait.
// Edges match by exact key (team, operation's number on it, edge, source), never by tags; how each
// travels is schedule/lower.hpp's to say. For authors of collectives: programs that call them do
// not include this.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "upwash/base/call_site.hpp"
#include "upwash/collective/binding.hpp"
#include "upwash/collective/persistent.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/lower.hpp"

namespace upwash::collective {

/// What the members of the team must have in common; checked runs compare it.
struct signature {
  std::string_view operation = "collective";  ///< a literal
  std::string_view algorithm{};               ///< a literal
  std::uint64_t bytes = 0;
  int root = 0;
  std::uint64_t kind_of_reduction = 0;  ///< names operator and type; 0: none, or the caller's own
  call_site site{};                     ///< where it is called from, for errors and reports
  /// Where it counts, since algorithms may change at a blocking call: which this one is.
  enum class manner_of_waiting : std::uint8_t { any, nonblocking, blocking };
  manner_of_waiting waits = manner_of_waiting::any;
};

/// How a schedule is to run: the same on the whole team.
struct manner {
  schedule::transfer_rules rules{};  ///< eager_bytes above the conduit's medium size are cut
  sync_mode exit = sync_mode::mine;
  signature agreed{};
  /// What the schedules refer to, or null: kept until the request is complete, or as long as the
  /// `persistent` is there. Any member may give another one.
  std::shared_ptr<const void> refers_to{};
};

/// The rules for collectives on this team where nobody says otherwise: eager up to the medium size,
/// whether members reach each other's memory.
[[nodiscard]] schedule::transfer_rules default_rules(const team& among);

/// Consecutive members on one node, the same on each (the last may have fewer); else 1. The same at
/// all members. Local; O(members).
[[nodiscard]] int ranks_a_node(const team& among);
/// The processes of the members, where there are fewer and they host them in order, as even as can
/// be (the first ones perhaps one more); else 0. The same at all members. Local; O(members).
[[nodiscard]] int processes_shared_by(const team& among);

/// Lets schedules on this team share memory inside nodes (schedule::needs::inside_nodes): how much
/// scratch such a schedule may have; 0: members of a node do not load and store each other's
/// memory. The same at all members. The first call on a team of several nodes is collective over it
/// and blocking, and takes 0.6 MiB a rank. Throws `error` (system) at all members where a process
/// lacks that.
[[nodiscard]] std::uint64_t share_inside_nodes(const team& among);

/// Whether no collective of this rank's on the team is under way, also none whose caller was told
/// its end before (exit mode none). Local.
[[nodiscard]] bool is_at_rest(const team& among);

/// Starts this rank's part of a collective. Called by all members of the team in the same order,
/// with the schedules of one algorithm. Nonblocking; no synchronisation but what `how` asks for.
/// The request is complete when this rank's steps are: its output may be read, its input reused
/// (exit mode none: once its sends are; see sync_mode). Memory while in flight: the scratch, the
/// slots, and the window's steps (at least 32); messages that come before this call are kept.
/// Throws `error` (argument) for steps in the network where the conduit has no such collectives,
/// and for mechanism matched with messages of unknown number (step kind collect) or where no tagged
/// messages were installed.
[[nodiscard]] request execute(const team& among, const schedule::generator& steps,
                              const binding& buffers, const manner& how = {});

/// The same, blocking.
void execute_and_wait(const team& among, const schedule::generator& steps, const binding& buffers,
                      const manner& how = {});

/// A collective of these steps, set up to be started often. Local: no messages. The buffers are the
/// same at every start.
[[nodiscard]] persistent prepare(const team& among, const schedule::generator& steps,
                                 const binding& buffers, const manner& how = {});

}  // namespace upwash::collective
