// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who am I? Finds the provider that fits the surroundings: upwash's own launcher, a rendezvous
// on this node beside a foreign launcher (mpirun, srun), or one process alone.
#pragma once

#include <memory>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"

namespace upwash::launch {

/// This process's place in its job. Collective when there are several processes. Throws
/// `error`: environment when the surroundings contradict themselves or span several nodes,
/// fault when other processes are missing after the knob start_timeout.
///
/// Beyond the interface, of every provider: abort() of a job that has failed already, or with
/// an empty text, prints nothing and only leaves.
[[nodiscard]] std::unique_ptr<conduit::bootstrap> make_bootstrap(const settings& values);

}  // namespace upwash::launch
