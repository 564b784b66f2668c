// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the report's page draws of a trace.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "upwash/observe/trace_files.hpp"

namespace upwash::tools {

/// Beside the numbers of `upwash trace --json`: `title`, `conduit`, `names`, `rows` (a traced rank
/// each: `rank`, `node`, `end_us`, `slices` and `collectives`, seven numbers a slice: begin
/// and length in microseconds, kind, name, peer, bytes, and the share of the length that its events
/// take, by their begins), `messages` (four numbers
/// each: row of the source and of the destination, sent, handled), `critical_of` (microseconds of
/// the critical path by rank). At most about `most_slices` slices: beyond that slices of a rank
/// that follow each other within `merged_us` are one, named as the longest of them; and at most as
/// many messages, every other one then left out as often as needed.
[[nodiscard]] nlohmann::json report_data(const observe::trace& of, const std::string& title,
                                         std::size_t most_slices);

}  // namespace upwash::tools
