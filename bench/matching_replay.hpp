// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace upwash::bench {

/// Prints a row for every engine and partition. Throws `error` for a file that is no trace.
void replay_matching(const std::string& file, bool json);

}  // namespace upwash::bench
