// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash tune machine`: measures a machine and writes its file.
#pragma once

#include <string>

#include "upwash/core/job.hpp"

namespace upwash::tools {

/// On each rank; rank 0 prints and writes `path` ("none": nowhere). The machine is called as the
/// file. Throws `error`: environment where the measurements are nonsense, system where the file
/// cannot be written; nothing is written then.
void measure_machine(job& here, const std::string& path);

}  // namespace upwash::tools
