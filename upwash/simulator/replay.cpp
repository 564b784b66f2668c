// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The windows of a replay and the threads that share them.
#include "upwash/simulator/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"
#include "upwash/simulator/detail/replay_walker.hpp"

namespace upwash::simulator {
namespace detail {
namespace {

/// All windows of one replay, by one thread or several.
class replay_run {
 public:
  replay_run(replay_state& all, int threads)
      : all_(all),
        together_(stretches_together(all.stretches.size(), threads)),
        gate_(threads, between{this}) {
    for (int i = 0; i < threads; ++i) {
      walkers_.emplace_back(all, static_cast<std::size_t>(threads));
      next_ps_.emplace_back(INT64_MAX);
    }
  }

  void run() {
    for (std::size_t s = 0; s < all_.stretches.size(); ++s) walkers_.front().begin(s);
    if (all_.options.through != nullptr) return walkers_.front().walk_with_carrier();
    std::vector<std::jthread> others;
    start(others);
    work(0);
    others.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

  [[nodiscard]] replay_totals totals() const {
    replay_totals sum;
    sum.memory_bytes = all_.memory_bytes();
    for (const replay_rank& each : all_.ranks) sum.schedule_bytes += each.schedule_bytes();
    for (const replay_walker& each : walkers_) {
      sum.steps += each.totals().steps;
      sum.messages += each.totals().messages;
      sum.wire_messages += each.totals().wire_messages;
      sum.memory_bytes += each.memory_bytes();
    }
    return sum;
  }

 private:
  struct between {
    replay_run* run;
    void operator()() const noexcept { run->between_phases(); }
  };

  /// Nobody waits at the gate for threads that the system does not give.
  void start(std::vector<std::jthread>& others) {
    for (std::size_t w = 1; w < walkers_.size(); ++w) {
      const bool started = attempt(0, [&] {
        try {
          others.emplace_back([this, w] { work(w); });
        } catch (const std::system_error& no) {
          throw error(error_kind::system,
                      fmt::format("replay: thread {} of {} cannot be started: {}; ask for fewer",
                                  w + 1, walkers_.size(), no.what()));
        }
      });
      if (!started) gate_.arrive_and_drop();
    }
  }

  /// Two phases a window: each walker hands over what was sent to its stretches, then all walk
  /// stretches as they find them.
  void work(std::size_t number) {
    replay_walker& mine = walkers_[number];
    const std::size_t stretches = all_.stretches.size();
    const std::size_t first = (number * stretches + walkers_.size() - 1) / walkers_.size();
    const std::size_t last = ((number + 1) * stretches + walkers_.size() - 1) / walkers_.size();
    while (true) {
      attempt(0, [&] {
        for (replay_walker& from : walkers_) mine.take_over(from, number);
      });
      std::int64_t next = INT64_MAX;
      for (std::size_t s = first; s < last; ++s) next = std::min(next, all_.stretches[s].next_ps);
      next_ps_[number] = next;
      gate_.arrive_and_wait();
      if (is_over_) return;
      for (std::size_t s = claim(); s < stretches; s = claim()) {
        const std::size_t end = std::min(s + together_, stretches);
        if (!attempt(s, [&] { mine.walk(s, end, end_ps_); })) break;
      }
      gate_.arrive_and_wait();
    }
  }

  std::size_t claim() noexcept { return claimed_.fetch_add(together_, std::memory_order_relaxed); }

  /// Of several failures in a window that of the first stretch is kept, whoever comes to it first.
  template <class Do>
  bool attempt(std::size_t stretch_number, const Do& what) {
    try {
      what();
      return true;
    } catch (...) {
      const std::lock_guard lock(failing_);
      if (!failure_ || stretch_number < failed_at_) {
        failure_ = std::current_exception();
        failed_at_ = stretch_number;
      }
      return false;
    }
  }

  /// By one thread, while the others wait.
  void between_phases() noexcept {
    walks_next_ = !walks_next_;
    if (!walks_next_) return;
    const std::int64_t start = *std::min_element(next_ps_.begin(), next_ps_.end());
    is_over_ = start == INT64_MAX || failure_ != nullptr;
    end_ps_ = later_by(all_.ahead.window_ps, start);
    if (!is_over_) attempt(0, [&] { walk_short_places(); });
    claimed_.store(0, std::memory_order_relaxed);
    if (all_.options.progress && ++windows_ % windows_a_report == 0) report();
  }

  /// In windows of their own, up to the end of that of the others: these do not send to anybody
  /// who is to know before that.
  void walk_short_places() {
    replay_walker& walker = walkers_.front();
    while (true) {
      std::int64_t next = INT64_MAX;
      for (const std::size_t p : all_.ahead.short_places) next = std::min(next, all_.next_ps[p]);
      if (next >= end_ps_) return;
      walker.walk_places(all_.ahead.short_places,
                         std::min(later_by(all_.ahead.short_window_ps, next), end_ps_));
      for (std::size_t to = 0; to < walkers_.size(); ++to) walkers_[to].take_over(walker, to);
    }
  }

  static std::int64_t later_by(std::int64_t ps, std::int64_t than) noexcept {
    return than > INT64_MAX - ps ? INT64_MAX : than + ps;
  }

  void report() noexcept {
    std::uint64_t steps = 0;
    for (const replay_walker& each : walkers_) steps += each.totals().steps;
    (*all_.options.progress)(steps);
  }

  /// Stretches that a walker takes at a time: some for each, and enough to look ahead in.
  static std::size_t stretches_together(std::size_t stretches, int threads) noexcept {
    constexpr std::size_t most = 16;
    constexpr std::size_t turns = 4;
    const std::size_t walkers = threads == 1 ? 1 : turns * static_cast<std::size_t>(threads);
    return std::clamp<std::size_t>(stretches / walkers, 1, most);
  }

  static constexpr std::uint64_t windows_a_report = 64;

  replay_state& all_;
  const std::size_t together_;
  std::deque<replay_walker> walkers_;
  std::vector<std::int64_t> next_ps_;  ///< by walker: of its stretches
  std::barrier<between> gate_;
  std::atomic<std::size_t> claimed_ = 0;
  std::int64_t end_ps_ = 0;
  bool walks_next_ = false;
  bool is_over_ = false;
  std::uint64_t windows_ = 0;
  std::mutex failing_;
  std::exception_ptr failure_;
  std::size_t failed_at_ = 0;
};

std::vector<replayed_rank> results_of(replay_state& all) {
  std::vector<replayed_rank> results;
  results.reserve(all.ranks.size());
  for (std::size_t rank = 0; rank < all.ranks.size(); ++rank) {
    const replay_rank& r = all.ranks[rank];
    if (!r.ended || r.base != r.next) {
      throw error(error_kind::fault,
                  fmt::format("replay: step {} of rank {} never comes to its end", r.base, rank));
    }
    results.push_back({r.completion, r.processor});
  }
  return results;
}

}  // namespace
}  // namespace detail

std::vector<replayed_rank> replay(int ranks, function_ref<schedule::generator(int)> schedule_of,
                                  const machine& on, const schedule::transfer_rules& rules,
                                  const replay_options& options) {
  check(options.daemons);
  if (ranks < 1 || options.threads < 1) {
    throw error(error_kind::argument, fmt::format("replay: {} ranks by {} threads; at least 1 each",
                                                  ranks, options.threads));
  }
  if (options.links.on != nullptr && options.through != nullptr) {
    throw error(error_kind::argument, "replay: links are shared, or a carrier has them, not both");
  }
  const bool together =
      !options.by_windows || options.through != nullptr || options.links.on != nullptr;
  detail::lookahead ahead;
  if (!together) {
    const int ranks_a_place = std::min(on.ranks_in(level_kind::node), ranks);
    ahead = detail::lookahead_of(ranks, ranks_a_place, schedule_of, on, rules, options);
  }
  while (true) {
    detail::replay_state all(ranks, schedule_of, on, rules, options, ahead);
    const auto stretches = static_cast<int>(all.stretches.size());
    detail::replay_run run(all, std::min(options.threads, stretches));
    try {
      run.run();
    } catch (const detail::window_too_long& by) {
      ensure(by.known_within_ps < ahead.window_ps, "replay: a place was walked too late");
      ahead = {.window_ps = std::max<std::int64_t>(0, by.known_within_ps)};
      continue;
    }
    std::vector<replayed_rank> results = detail::results_of(all);
    if (options.totals != nullptr) *options.totals = run.totals();
    return results;
  }
}

}  // namespace upwash::simulator
