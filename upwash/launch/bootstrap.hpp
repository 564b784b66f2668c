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
/// `error`: environment when the surroundings contradict themselves or span several nodes,
/// fault when other processes are missing after the knob start_timeout.
[[nodiscard]] std::unique_ptr<conduit::bootstrap> make_bootstrap(const settings& values);

/// For a process that never got a bootstrap: under upwash's launcher ends the job as
/// bootstrap::abort does, so that one line is printed however many processes fail alike. Returns
/// when there is no such launcher.
void abort_start(int status, std::string_view why) noexcept;

}  // namespace upwash::launch
