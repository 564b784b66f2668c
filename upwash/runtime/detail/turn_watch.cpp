// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/detail/turn_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "upwash/base/log.hpp"

namespace upwash::runtime_detail {
namespace {

constexpr int most_lines = 10;
constexpr int limits_without_end = 10;

}  // namespace

turn_watch::turn_watch(duration limit, bool variables) : limit_(limit), variables_(variables) {
  if (variables && variables_.watched() == 0) {
    log(log_level::info, "checks",
        "the program's variables are not watched: it has none, or its symbols were stripped");
  }
  if (limit > duration{}) {
    looks_ = std::jthread([this](const std::stop_token& over) { look_for_endless(over); });
  }
}

// Relaxed, all: who looks at a turn as it changes looks again later.
void turn_watch::turn_begins(int rank) noexcept {
  variables_.forgive();
  if (limit_ == duration{}) return;
  since_ps_.store(steady_now().ps(), std::memory_order_relaxed);
  running_.store(rank, std::memory_order_relaxed);
}

void turn_watch::turn_ends(int rank, int others) noexcept {
  running_.store(-1, std::memory_order_relaxed);
  try {
    look_at_clock(rank, others);
    look_at_variables(rank);
  } catch (const std::exception&) {
    return;  // no memory for a line: the program is not to end by that
  }
}

void turn_watch::look_at_clock(int rank, int others) {
  if (limit_ == duration{} || others == 0) return;
  const duration turn = steady_now() - duration::from_ps(since_ps_.load(std::memory_order_relaxed));
  if (turn <= limit_ || std::ranges::find(slow_, rank) != slow_.end()) return;
  slow_.push_back(rank);
  log(log_level::warning, "checks",
      fmt::format(
          "rank {} kept {} other rank{} of its process waiting for {:.3g} s (turn_limit is "
          "{:g} s): a rank that computes long calls progress() now and then, and none waits "
          "in the system; later ones are not told of",
          rank, others, others == 1 ? "" : "s", turn.seconds(), limit_.seconds()));
}

void turn_watch::look_for_endless(const std::stop_token& over) {
  int told = -1;
  std::int64_t seen = 0;  // when the turn began that was found at the last look
  std::unique_lock lock(waiting_);
  while (!over_.wait_for(lock, over,
                         std::chrono::nanoseconds(limit_.ps() / 1000 * limits_without_end),
                         [] { return false; })) {
    if (over.stop_requested()) return;
    const int rank = running_.load(std::memory_order_relaxed);
    const std::int64_t since = since_ps_.load(std::memory_order_relaxed);
    if (rank >= 0 && since == seen && rank != told) {
      told = rank;
      log(log_level::warning, "checks",
          fmt::format("rank {} has had its process for {:.3g} s, and keeps it: the other ranks of "
                      "the process do nothing meanwhile (turn_limit is {:g} s); a rank that "
                      "computes long calls progress() now and then, and none waits in the system",
                      rank, (steady_now() - duration::from_ps(since)).seconds(), limit_.seconds()));
    }
    seen = since;
  }
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
