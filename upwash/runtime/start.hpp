// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Starting jobs on any conduit.
#pragma once

#include "upwash/conduit/conduit_row.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash {

/// As launch::launch, whose options these are, but by the conduit's own launcher where it has one.
/// Variables of `options.environment` are knobs of the start, too. Throws `error`.
[[nodiscard]] int start(const conduit::conduit_row& on, const launch::launch_options& options);

}  // namespace upwash
