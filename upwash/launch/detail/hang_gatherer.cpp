// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/hang_gatherer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/launch/detail/process_facts.hpp"
#include "upwash/observe/hang_report.hpp"

namespace upwash::launch::detail {
namespace {

/// A rank that naps in its wait looks for a question some hundred times in it.
const duration time_to_answer = duration::from_seconds(2);

/// What the operating system says of a process whose ranks do not answer.
observe::doing seen_from_outside(const process_slot& slot) {
  if (slot.state.load() == process_state::finished) return observe::doing::ended;
  const std::int32_t pid = slot.pid.load();
  switch (pid != 0 ? run_state_of(pid) : '\0') {
    case 'R': return observe::doing::runs;
    case 'S':
    case 'D': return observe::doing::sleeps;
    case 'T':
    case 't': return observe::doing::stopped;
    default: return observe::doing::unknown;
  }
}

/// Of a rank that has not answered: where another of its process has the turn, it waits for that.
observe::standing seen_from_outside(const process_slot& slot, int rank, int ranks_of_process) {
  observe::standing is;
  is.rank = rank;
  is.process = slot.pid.load();
  is.now = seen_from_outside(slot);
  const int running = slot.running.load(std::memory_order_relaxed);
  const bool idle = is.now == observe::doing::ended || is.now == observe::doing::stopped;
  if (ranks_of_process > 1 && running >= 0 && running != rank && !idle) {
    is.now = observe::doing::waits;
    is.operation = "the line for its process";
    is.peer = running;
  }
  return is;
}

}  // namespace

bool hang_gatherer::all_answered() const noexcept {
  for (int rank = 0; rank < block_.ranks(); ++rank) {
    if (block_.standing(rank).answered.load(std::memory_order_acquire) != question_) return false;
  }
  return true;
}

std::vector<observe::standing> hang_gatherer::gathered() const {
  std::vector<observe::standing> all;
  const conduit::rank_layout layout = block_.layout();
  for (int rank = 0; rank < block_.ranks(); ++rank) {
    const standing_slot& told = block_.standing(rank);
    if (told.answered.load(std::memory_order_acquire) == question_) {
      all.push_back(told.read());
      continue;
    }
    const int process = layout.process_of(rank);
    all.push_back(seen_from_outside(block_.slot(process), rank, layout.count_of(process)));
  }
  return all;
}

std::optional<std::string> hang_gatherer::look(duration now) {
  if (!asking_) {
    const std::uint32_t hangs = block_.header().hangs.load(std::memory_order_relaxed);
    if (hangs == hangs_ && !wanted_) return std::nullopt;
    hangs_ = hangs;
    question_ = block_.header().question.fetch_add(1) + 1;
    asked_at_ = now;
    asking_ = true;
    return std::nullopt;
  }
  if (now - asked_at_ < time_to_answer && !all_answered()) return std::nullopt;
  asking_ = false;
  return report();
}

std::optional<std::string> hang_gatherer::report() {
  const bool wanted = std::exchange(wanted_, false);
  const std::vector<observe::standing> all = gathered();
  const auto longest = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.waited_ps < b.waited_ps;
  });
  if (longest->now != observe::doing::waits && !wanted) return std::nullopt;  // it went on
  const std::uint64_t state = observe::state_of(all);
  if (state == reported_ && !wanted) return std::nullopt;
  reported_ = state;
  const std::string headline =
      longest->now == observe::doing::waits
          ? fmt::format("rank {} has waited in {} for {:.1f} s; the {} ranks of the job:",
                        longest->rank, longest->operation.view(),
                        duration::from_ps(longest->waited_ps).seconds(), all.size())
          : fmt::format("no rank waits; the {} ranks of the job:", all.size());
  return observe::hang_report(headline, all);
}

}  // namespace upwash::launch::detail
