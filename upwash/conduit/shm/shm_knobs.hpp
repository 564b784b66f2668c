// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of the shared-memory conduit in the table of knobs.
#pragma once

#include "upwash/base/knobs.hpp"

namespace upwash::conduit {

/// Adds the conduit's rows; called once for a table.
void shm_knobs(knob_table& table);

}  // namespace upwash::conduit
