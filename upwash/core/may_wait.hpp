// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace upwash {

class job;

/// Throws `error` (argument) in a handler. For operations that will wait: they call it before any
/// effect counts or reaches another rank.
void check_may_wait(const job& here, std::string_view operation);

}  // namespace upwash
