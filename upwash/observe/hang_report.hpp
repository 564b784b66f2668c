// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The report of a job that hangs: one table of the status of its ranks, and the reasons for the
// standstill that can be concluded. Made where all ranks are visible: by the launcher, or by the
// world of ranks that share a process.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "upwash/observe/standing.hpp"

namespace upwash::observe {

/// Returns the status in words: "waits in barrier at main.cpp:7", "computes without calling the
/// library (pid 12)", ...
[[nodiscard]] std::string what_it_does(const standing& one);

/// Returns one line for all ranks with the same status. The pending work of the three ranks whose
/// layers report most follows below the line. Every line ends in '\n'. Lists at most `most_lines`
/// statuses. `ranks` are all ranks of the job, in order. O(ranks x statuses listed).
[[nodiscard]] std::string table_of(std::span<const standing> ranks, int most_lines = 24);

/// Returns the reasons for the standstill, a sentence each, the most significant first, at most
/// four. Possible reasons: stopped ranks; ranks that have not called a collective operation in
/// which others wait; waits for a rank that is at its end; a cycle of waits; ranks that compute
/// while others wait for them. Empty if nothing can be concluded. States no reason if another
/// course of events would explain the status as well.
[[nodiscard]] std::vector<std::string> conclusions(std::span<const standing> ranks);

/// Returns the whole report: `headline`, the table, and a line "conclusion: ..." for each
/// conclusion.
[[nodiscard]] std::string hang_report(const std::string& headline, std::span<const standing> ranks);

/// Returns a number over the status of the ranks, independent of time. Equal for equal states of a
/// job.
[[nodiscard]] std::uint64_t state_of(std::span<const standing> ranks) noexcept;

/// Returns the names of ranks in order: "0", "0-3", "0-3, 7". After `most` runs only the number of
/// remaining ranks is given.
[[nodiscard]] std::string name_ranks(std::span<const int> ranks, std::size_t most = 8);

}  // namespace upwash::observe
