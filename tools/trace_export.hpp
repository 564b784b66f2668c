// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The events of a trace in formats that other programs read.
#pragma once

#include <iosfwd>

#include "upwash/observe/trace_files.hpp"

namespace upwash::tools {

/// The Trace Event Format of Chrome, which ui.perfetto.dev opens: a process a node, a thread a
/// rank; waits, handlers, computation and memory operations as slices, collectives as asynchronous
/// slices, since several may be under way; an arrow for each message whose both ends are there.
/// O(events) memory for the ends of messages.
void write_chrome(const observe::trace& from, std::ostream& out);

/// A line for each message: source, destination, lane, number, bytes, when it was sent, when its
/// handler began (empty: not in the trace), in microseconds, the tag of a tagged message; by the
/// time of sending at each source.
void write_messages(const observe::trace& from, std::ostream& out);

}  // namespace upwash::tools
