// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `upwash tune` was asked for, as its command line and its ranks see it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/collective/problem.hpp"
#include "upwash/core/job.hpp"

namespace upwash::tools {

struct tune_request {
  std::vector<std::string> collectives;
  bool all = false;
  int ranks = 0;
  std::vector<std::string> bytes;  ///< empty: default sizes
  double budget_seconds = 60;
  double share = 1;
  int samples = 7;
  double sample_ms = 2;
  bool exhaustive = false;
  bool explain = false;
  bool measure = false;
  bool ordered = false;
  bool overlapped = false;
  bool json = false;
  std::string addresses = "local";
  std::string sync = "mine";
  std::string conduit = "shm";
  std::string machine = "laptop";
  std::string bind = "core";  ///< or none
  std::string output;         ///< empty: the user's own file; "none": nothing is written
};

/// The calls that are asked about: collectives by sizes, those left out whose buffers of a rank
/// would be above 64 MiB. Throws `error` (argument) for unknown collectives, or none.
[[nodiscard]] std::vector<collective::problem> problems_of(const tune_request& asked);

/// The machine that is simulated on the conduit asked for; empty: it is this one. Throws `error`
/// (configuration) for unknown conduits.
[[nodiscard]] std::string simulated_machine(const tune_request& asked);

/// Marks lines that show how far a search has come.
inline constexpr std::string_view progress_mark = "\r";

/// What each rank does. Collective; rank 0 prints.
void tune_on_ranks(job& here, const tune_request& asked);

/// Prints the candidates by price, without running anything.
void explain(const tune_request& asked);

}  // namespace upwash::tools
