// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Starts jobs on any conduit.
#pragma once

#include "upwash/conduit/conduit_row.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash {

/// Starts a job as launch::launch does, with the same options, but with the conduit's own launcher
/// if it has one. Variables of `options.environment` are knobs of the start, too. Throws `error`.
[[nodiscard]] int start(const conduit::conduit_row& on, const launch::launch_options& options);

}  // namespace upwash
