// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/detail/turn_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "upwash/base/log.hpp"

namespace upwash::runtime_detail {
namespace {

constexpr int most_lines = 10;

}  // namespace

turn_watch::turn_watch(duration limit, bool variables) : limit_(limit), variables_(variables) {
  if (variables && variables_.watched() == 0) {
    log(log_level::info, "checks",
        "the program's variables are not watched: it has none, or its symbols were stripped");
  }
}

void turn_watch::turn_begins(int /*rank*/) noexcept {
  variables_.forgive();
  if (limit_ > duration{}) since_ = steady_now();
}

void turn_watch::turn_ends(int rank, int others) noexcept {
  try {
    look_at_clock(rank, others);
    look_at_variables(rank);
  } catch (const std::exception&) {
    return;  // no memory for a line: the program is not to end by that
  }
}

void turn_watch::look_at_clock(int rank, int others) {
  if (limit_ == duration{} || others == 0) return;
  const duration turn = steady_now() - since_;
  if (turn <= limit_ || std::ranges::find(slow_, rank) != slow_.end()) return;
  slow_.push_back(rank);
  log(log_level::warning, "checks",
      fmt::format(
          "rank {} kept {} other rank{} of its process waiting for {:.3g} s (turn_limit is "
          "{:g} s): a rank that computes long calls progress() now and then, and none waits "
          "in the system; later ones are not told of",
          rank, others, others == 1 ? "" : "s", turn.seconds(), limit_.seconds()));
}

void turn_watch::look_at_variables(int rank) {
  variables_.blame(rank, [this](const privatize::shared_variable& found) {
    if (told_ >= most_lines) return;
    ++told_;
    log(log_level::warning, "checks",
        fmt::format("ranks {} and {} share a process, and both changed the program's variable "
                    "{}: keep it in the function that the ranks run, or start the program with "
                    "--privatize (docs/virtual_ranks.md){}",
                    found.first, found.second, found.name,
                    told_ == most_lines ? "; further variables are not told of" : ""));
  });
}

}  // namespace upwash::runtime_detail
