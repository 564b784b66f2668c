// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The report of a job that hangs: one table of what its ranks are in, peers side by side, and why
// nobody goes on, as far as that can be told. Whoever sees all ranks makes it: the launcher, or the
// world of ranks that share a process.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "upwash/observe/standing.hpp"

namespace upwash::observe {

/// "waits in barrier at main.cpp:7", "computes without calling the library (pid 12)", ...
[[nodiscard]] std::string what_it_does(const standing& one);

/// One line for all ranks that are in the same, with what is pending below it, at the three ranks
/// whose layers say most; lines end in '\n', the last one too. At most `most_lines` kinds are
/// listed. `ranks` are all of the job, ordered. O(ranks x kinds listed).
[[nodiscard]] std::string table_of(std::span<const standing> ranks, int most_lines = 24);

/// Why nobody goes on, a sentence each, the most telling first, at most four: ranks that are
/// stopped; who has not called a collective operation that others wait in; who waits for a rank
/// that is at its end; a cycle of waits; who computes while others wait for it. Empty when nothing
/// can be concluded. Says nothing that another course of events would explain as well.
[[nodiscard]] std::vector<std::string> conclusions(std::span<const standing> ranks);

/// The whole report: `headline`, the table, a line "conclusion: ..." for each of the conclusions.
[[nodiscard]] std::string hang_report(const std::string& headline, std::span<const standing> ranks);

/// A number over what the ranks are in, whatever the time: equal for equal states of a job.
[[nodiscard]] std::uint64_t state_of(std::span<const standing> ranks) noexcept;

/// "0", "0-3", "0-3, 7": of ranks in order. After `most` runs only how many follow.
[[nodiscard]] std::string name_ranks(std::span<const int> ranks, std::size_t most = 8);

}  // namespace upwash::observe
