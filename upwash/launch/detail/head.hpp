// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The centre of a job over several hosts: every agent communicates only with it.
#pragma once

#include "upwash/launch/launcher.hpp"

namespace upwash::launch::detail {

/// Starts a job as launch() does, for options that name hosts.
[[nodiscard]] int launch_over_hosts(const launch_options& options);

}  // namespace upwash::launch::detail
