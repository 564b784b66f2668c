// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Traces for Vampir and other readers of OTF2, where upwash was built with its library.
#pragma once

#include <string>

#include "upwash/observe/trace_files.hpp"

namespace upwash::tools {

/// Writes `folder`, which is made, with the archive `traces.otf2`: a process for each rank with a
/// location for what it did, nested, and as many more for its collectives as overlap; messages
/// whose both ends are there. Times in picoseconds. Throws `error` (environment) where the library
/// cannot write there, or upwash was built without it. Memory: 32 bytes for each end of an event or
/// message.
void write_otf2(const observe::trace& from, const std::string& folder);

}  // namespace upwash::tools
