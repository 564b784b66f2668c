// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The middle of a job over several hosts: every agent talks to it alone.
#pragma once

#include "upwash/launch/launcher.hpp"

namespace upwash::launch::detail {

/// As launch(), for options that name hosts.
[[nodiscard]] int launch_over_hosts(const launch_options& options);

}  // namespace upwash::launch::detail
