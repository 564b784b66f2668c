// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>

#include "tools/trace_numbers.hpp"
#include "upwash/observe/trace_files.hpp"

namespace upwash::tools {

/// Adds `upwash trace`: what a trace tells, in numbers; and the same events in formats of others.
void add_trace(CLI::App& app);

/// The numbers of a trace as text: the largest of each kind.
void print_trace(std::FILE* out, const observe::trace& t, const trace_numbers& n);

}  // namespace upwash::tools
