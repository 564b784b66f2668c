// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who am I? Finds the provider that fits the surroundings: upwash's own launcher, a rendezvous
// on this node beside a foreign launcher (mpirun, srun), or one process alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"

namespace upwash::launch {

/// Of a job in processes of its own.
inline constexpr int most_ranks = 65536;

/// This process's place in its job. Collective when there are several processes. Throws
/// `error`: environment when the surroundings contradict themselves or span several nodes,
/// fault when other processes are missing after the knob start_timeout.
[[nodiscard]] std::unique_ptr<conduit::bootstrap> make_bootstrap(const settings& values);

/// What a failure's one line says after "upwash: ": "rank R: why; job ended", without the rank
/// where `why` begins with it; `why` alone for a failure of no rank in particular (-1).
[[nodiscard]] std::string failure_line(int rank, std::string_view why);

/// For a process that never got a bootstrap: under upwash's launcher ends the job as
/// bootstrap::abort does, so that one line is printed however many processes fail alike. Returns
/// when there is no such launcher.
void abort_start(int status, std::string_view why) noexcept;

}  // namespace upwash::launch
