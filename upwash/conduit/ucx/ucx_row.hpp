// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The UCX conduit in the table of conduits.
#pragma once

#include "upwash/conduit/conduit_row.hpp"

namespace upwash::conduit {

[[nodiscard]] conduit_row ucx_row();

}  // namespace upwash::conduit
