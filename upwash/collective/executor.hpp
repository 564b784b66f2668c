// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs schedules without blocking, for authors of collectives. Any number of operations run at
// once, on any teams; every wait moves them forward. Edges match by exact key (team, number of the
// operation on the team, edge, source), never by tags. schedule/lower.hpp decides how each edge
// travels. Programs that call collectives do not include this header.
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

/// The values that all members of the team must agree on. Checked runs compare them.
struct signature {
  std::string_view operation = "collective";  ///< a literal
  std::string_view algorithm{};               ///< a literal
  std::uint64_t bytes = 0;
  int root = 0;
  std::uint64_t kind_of_reduction = 0;  ///< number of operator and type; 0: none, or an operator of
                                        ///< the program
  call_site site{};                     ///< place of the call, for errors and reports
  /// Whether this call blocks. Set if members must agree on it, since algorithms may change at a
  /// blocking call.
  enum class manner_of_waiting : std::uint8_t { any, nonblocking, blocking };
  manner_of_waiting waits = manner_of_waiting::any;
};

/// Options of a schedule's run. They are the same on the whole team.
struct manner {
  schedule::transfer_rules rules{};  ///< eager_bytes is limited to the conduit's medium size
  sync_mode exit = sync_mode::mine;
  signature agreed{};
  /// The object that the schedules refer to, or null. Kept until the request is complete, or as
  /// long as the `persistent` exists. Each member may give another one.
  std::shared_ptr<const void> refers_to{};
};

/// Returns the default rules for collectives on this team: eager up to the medium size, and direct
/// access if the members reach each other's memory.
[[nodiscard]] schedule::transfer_rules default_rules(const team& among);

/// Returns the number of consecutive members on each node (the last node may have fewer), or 1 if
/// members lie otherwise. The same at all members. Local; O(members).
[[nodiscard]] int ranks_a_node(const team& among);
/// Returns the number of processes that host the members, if there are fewer processes than members
/// and they host them in order and evenly (the first ones perhaps one more). Otherwise 0. The same
/// at all members. Local; O(members).
[[nodiscard]] int processes_shared_by(const team& among);

/// Lets schedules on this team share memory inside nodes (schedule::needs::inside_nodes). Returns
/// the bytes of scratch for one of these schedules; 0 if members of a node do not load and store
/// each other's memory. The same at all members. The first call on a team of several nodes is
/// collective and blocking, and takes 0.6 MiB a rank. Throws `error` (system) at all members if a
/// process lacks that memory.
[[nodiscard]] std::uint64_t share_inside_nodes(const team& among);

/// Returns whether no collective of this rank on the team is in progress. Counts also operations
/// that were reported complete before their end (exit mode none). Local.
[[nodiscard]] bool is_at_rest(const team& among);

/// Starts this rank's part of a collective. All members of the team call it in the same order, with
/// the schedules of one algorithm. Nonblocking, collective. Synchronises only as `how` asks.
///
/// The request is complete when this rank's steps are. Its output may then be read and its input
/// reused; with exit mode none as soon as its sends are complete (see sync_mode). Memory in flight:
/// the scratch, the slots, and the window's steps (at least 32). Messages that arrive before this
/// call are kept. Throws `error` (argument) for network steps on a conduit without collectives, and
/// for mechanism matched if the number of messages is unknown (step kind collect) or no tagged
/// messages are installed.
[[nodiscard]] request execute(const team& among, const schedule::generator& steps,
                              const binding& buffers, const manner& how = {});

/// Blocking form of the call above.
void execute_and_wait(const team& among, const schedule::generator& steps, const binding& buffers,
                      const manner& how = {});

/// Sets up a collective of these steps, to be started often. Local: no messages. Every start uses
/// the same buffers.
[[nodiscard]] persistent prepare(const team& among, const schedule::generator& steps,
                                 const binding& buffers, const manner& how = {});

}  // namespace upwash::collective
