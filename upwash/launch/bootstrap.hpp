// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who am I? Finds the provider that fits the surroundings: upwash's own launcher, a rendezvous
// on this node beside a foreign launcher (mpirun, srun), or one process alone.
#pragma once

#include <memory>
#include <string_view>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/failure_line.hpp"

namespace upwash::launch {

using conduit::failure_line;  // conduits that find their job themselves say it too
using conduit::most_ranks;

/// This process's place in its job. Collective when there are several processes. Throws
/// `error`: environment when the surroundings contradict themselves or span several nodes, which
/// only jobs that `may_span_nodes` do, by PMIx beside foreign launchers; fault when other processes
/// are missing after the knob start_timeout.
[[nodiscard]] std::unique_ptr<conduit::bootstrap> make_bootstrap(const settings& values,
                                                                 bool may_span_nodes = false);

/// For conduits that find their place by an engine of their own: whether a process that started
/// this one has taken the place which the variables of a launcher name. Throws `error` (argument)
/// where this process has.
[[nodiscard]] bool place_is_taken(const settings& values);
/// From now on what this process starts is in no job, whatever variables of a launcher it inherits.
void take_place(const settings& values);

/// Where the process of `place`, which another launcher started, tells the `upwash run` that had it
/// do so; null: there is none on this machine.
[[nodiscard]] std::unique_ptr<conduit::launcher_board> board_of_launcher(
    const settings& values, const conduit::bootstrap& place);

/// For a process that never got a bootstrap: under a launcher ends it as bootstrap::abort does, so
/// that one line is printed (by foreign launchers, on each node) however many processes fail alike.
/// Returns when there is no launcher.
void abort_start(int status, std::string_view why) noexcept;

}  // namespace upwash::launch
