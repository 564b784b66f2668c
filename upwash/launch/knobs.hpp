// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of the launch layer in the table of knobs.
#pragma once

#include "upwash/base/knobs.hpp"

namespace upwash::launch {

/// Adds the layer's rows; called once for a table.
void launch_knobs(knob_table& table);

}  // namespace upwash::launch
