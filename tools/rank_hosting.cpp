// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/rank_hosting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/conduit/rank_layout.hpp"

namespace upwash::tools {

void rank_hosting::add_to(CLI::App& command) {
  command.add_option("--ranks-per-process", text_,
                     "Largest number of ranks that share a process as fibers (default: 1); auto: "
                     "one process per core");
}

/// Ranks in a process at most.
int rank_hosting::most(int ranks) const {
  if (!given()) return 1;
  std::int64_t number = 0;
  const char* end = text_->data() + text_->size();
  const auto read = std::from_chars(text_->data(), end, number);
  const bool large = read.ec == std::errc::result_out_of_range && text_->front() != '-';
  if (read.ptr != end || (number < 1 && !large)) {
    throw error(error_kind::argument,
                fmt::format("{}: expected a number of ranks from 1, or auto", option()));
  }
  return large ? ranks : static_cast<int>(std::min<std::int64_t>(number, ranks));
}

void rank_hosting::host(int ranks, const conduit::conduit_row& on,
                        launch::launch_options& options) const {
  const bool by_cores = text_ == "auto";
  if (on.several_processes) {
    options.ranks = ranks;
    options.ranks_a_process = by_cores ? 0 : most(ranks);
    options.processes = by_cores ? std::min(ranks, launch::usable_cores())
                                 : conduit::rank_layout::at_most(most(ranks), ranks).processes();
    return;
  }
  if (by_cores) {
    throw error(error_kind::argument,
                fmt::format("{}: {} has all ranks in one process, whatever cores this machine has; "
                            "give a number",
                            option(), on.name));
  }
  options.environment.push_back(fmt::format("UPWASH_RANKS={}", ranks));
  options.environment.push_back(fmt::format("UPWASH_RANKS_PER_PROCESS={}", most(ranks)));
}

void suggest_hosting(int ranks) {
  if (ranks < 2 || !log_enabled(log_level::info)) return;
  const int cores = launch::usable_cores();
  if (ranks <= cores) return;
  const int each = (ranks + cores - 1) / cores;
  log(log_level::info, "run",
      fmt::format("{} ranks are {} processes on {} core{}, and a switch between two takes about "
                  "1 us; --ranks-per-process auto makes them {} process{} of up to {} ranks that "
                  "switch in nanoseconds",
                  ranks, ranks, cores, cores == 1 ? "" : "s", cores, cores == 1 ? "" : "es", each));
}

}  // namespace upwash::tools
