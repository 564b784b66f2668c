// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/standing_gatherer.hpp"

#include <algorithm>

#include "upwash/base/process_facts.hpp"

namespace upwash::launch::detail {

void standing_gatherer::ask(std::uint32_t question, duration now) noexcept {
  question_ = question;
  asked_at_ = now;
  next_glance_ = now;
  std::fill(seen_.begin(), seen_.end(), glances());
  asking_ = true;
  block_.header().question.store(question);
}

/// This question, or the one that somebody else has asked since. Numbers alone do not tell which is
/// later: those of another host's head may be behind the ones that were asked here.
bool standing_gatherer::has_answered(int rank) const noexcept {
  const std::uint32_t answered = block_.standing(rank).answered.load(std::memory_order_acquire);
  return answered == question_ || answered == block_.header().question.load();
}

bool standing_gatherer::all_answered() const noexcept {
  for (int rank = first_; rank < end_; ++rank) {
    if (!has_answered(rank)) return false;
  }
  return true;
}

bool standing_gatherer::has_silent_rank(int process) const noexcept {
  const conduit::rank_layout layout = block_.layout();
  const int end = std::min(end_, layout.first_of(process + 1));
  for (int rank = std::max(first_, layout.first_of(process)); rank < end; ++rank) {
    if (!has_answered(rank)) return true;
  }
  return false;
}

void standing_gatherer::glance(duration now) {
  if (now < next_glance_) return;
  next_glance_ = now + time_between_glances;
  const int end = block_.layout().process_of(end_ - 1) + 1;
  for (int process = block_.layout().process_of(first_); process < end; ++process) {
    if (!has_silent_rank(process)) continue;
    glances& of = seen_[static_cast<std::size_t>(process)];
    switch (const std::int32_t pid = block_.slot(process).pid.load(); run_state_of(pid)) {
      case 'R': ++of.running; break;
      case 'S':
      case 'D': ++of.asleep; break;
      default: break;
    }
  }
}

/// What the operating system says of a process whose ranks do not answer.
observe::doing standing_gatherer::seen_from_outside(int process) const {
  const process_slot& slot = block_.slot(process);
  if (slot.state.load() == process_state::finished) return observe::doing::ended;
  const std::int32_t pid = slot.pid.load();
  const glances& seen = seen_[static_cast<std::size_t>(process)];
  switch (pid != 0 ? run_state_of(pid) : '\0') {
    case 'R': return seen.asleep > seen.running ? observe::doing::sleeps : observe::doing::runs;
    case 'S':
    case 'D': return seen.running > seen.asleep ? observe::doing::runs : observe::doing::sleeps;
    case 'T':
    case 't': return observe::doing::stopped;
    default: return observe::doing::unknown;
  }
}

/// Of a rank that has not answered: where another of its process has the turn, it waits for that.
observe::standing standing_gatherer::seen_from_outside(int process, int rank) const {
  const process_slot& slot = block_.slot(process);
  observe::standing is;
  is.rank = rank;
  is.process = slot.pid.load();
  is.now = seen_from_outside(process);
  const int running = slot.running.load(std::memory_order_relaxed);
  const bool idle = is.now == observe::doing::ended || is.now == observe::doing::stopped;
  if (slot.ranks > 1 && running >= 0 && running != rank && !idle) {
    is.now = observe::doing::waits;
    is.operation = "the line for its process";
    is.peer = running;
  }
  return is;
}

std::optional<std::vector<observe::standing>> standing_gatherer::look(duration now) {
  if (!asking_) return std::nullopt;
  glance(now);
  if (now - asked_at_ < patience_ && !all_answered()) return std::nullopt;
  asking_ = false;
  std::vector<observe::standing> all;
  const conduit::rank_layout layout = block_.layout();
  for (int rank = first_; rank < end_; ++rank) {
    all.push_back(has_answered(rank) ? block_.standing(rank).read()
                                     : seen_from_outside(layout.process_of(rank), rank));
    all.back().rank = rank;
    if (all.back().peer >= layout.ranks()) all.back().peer = -1;
  }
  return all;
}

}  // namespace upwash::launch::detail
