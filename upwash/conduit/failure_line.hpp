// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one line that says why a job ended.
#pragma once

#include <string>
#include <string_view>

namespace upwash::conduit {

/// What a failure's one line says after "upwash: ": "rank R: why; job ended", without the rank
/// where `why` begins with it; `why` alone for a failure of no rank in particular (-1).
[[nodiscard]] std::string failure_line(int rank, std::string_view why);

}  // namespace upwash::conduit
