// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What layers did in a traced job, as `upwash trace` prints it.
#pragma once

#include <cstddef>
#include <cstdio>

#include "tools/trace_numbers.hpp"

namespace upwash::tools {

/// Choices, streams, tagged messages, migrations; at most so many lines each. Nothing of what there
/// is none of.
void print_layers(std::FILE* out, const trace_numbers& n, std::size_t most_lines);

}  // namespace upwash::tools
