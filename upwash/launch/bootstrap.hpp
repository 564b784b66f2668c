// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds this process's place in its job. Chooses the provider that fits the surroundings: upwash's
// own launcher, a rendezvous on this node under an external launcher (mpirun, srun), or one process
// alone.
#pragma once

#include <memory>
#include <string_view>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/failure_line.hpp"

namespace upwash::launch {

using conduit::failure_line;  // also for conduits that find their job themselves
using conduit::most_ranks;

/// Returns this process's place in its job. Collective if there are several processes.
/// `may_span_nodes`: the job may span several nodes, by PMIx under external launchers. Throws
/// `error` (environment) if the surroundings contradict themselves, or if they span several nodes
/// and `may_span_nodes` is false. Throws `error` (fault) if other processes are missing after the
/// knob start_timeout.
[[nodiscard]] std::unique_ptr<conduit::bootstrap> make_bootstrap(const settings& values,
                                                                 bool may_span_nodes = false);

/// Returns whether a process that started this one has taken the place which the variables of a
/// launcher name. For conduits that find their place by their own engine. Throws `error` (argument)
/// if this process has taken the place.
[[nodiscard]] bool place_is_taken(const settings& values);
/// Takes the place: children of this process are in no job from now on, whatever variables of a
/// launcher they inherit.
void take_place(const settings& values);

/// Returns the board on which the process of `place`, started by another launcher, reports to the
/// `upwash run` that used this launcher. Null if there is none on this machine.
[[nodiscard]] std::unique_ptr<conduit::launcher_board> board_of_launcher(
    const settings& values, const conduit::bootstrap& place);

/// Ends a process that never got a bootstrap. Under a launcher it does so as bootstrap::abort does:
/// one line is printed (by external launchers, on each node), however many processes fail alike.
/// Returns if there is no launcher.
void abort_start(int status, std::string_view why) noexcept;

}  // namespace upwash::launch
