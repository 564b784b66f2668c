// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/detail/fence_barrier_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <utility>

#include "upwash/core/job.hpp"
#include "upwash/core/peer_traffic.hpp"

namespace upwash::detail {

fence_barrier_run::fence_barrier_run(const team& among, std::uint64_t number, bool with_counts,
                                     completer end, fence_barrier_mail& mail, settled_puts& settled)
    : among_(among),
      here_(among.here()),
      number_(number),
      with_counts_(with_counts),
      end_(end),
      mail_(mail),
      settled_(settled),
      plan_(among.rank(), among.size()) {
  look_for_open();
}

void fence_barrier_run::look_for_open() {
  if (settled_.all()) return;
  for (int member = 0; member < among_.size(); ++member) {
    const int rank = among_.world_rank(member);
    const peer_traffic now = traffic_towards(here_, rank);
    if (!settled_puts::is_told(now) || now.unflushed != 0) open_.push_back(rank);
  }
}

/// What the conduit moved is flushed when the rest is told: a put may wait for the key of its
/// target's memory, and becomes one of the conduit's then.
bool fence_barrier_run::is_told() {
  while (!open_.empty()) {
    const peer_traffic now = traffic_towards(here_, open_.back());
    if (!settled_puts::is_told(now)) return false;
    if (now.unflushed != 0) flushes_.push_back(confirm(here_, open_.back()));
    open_.pop_back();
  }
  const auto is_done = [](const request& each) { return each.done(); };
  if (!std::all_of(flushes_.begin(), flushes_.end(), is_done)) return false;
  flushes_.clear();
  return true;
}

void fence_barrier_run::count_own() {
  if (settled_.all()) return;
  const auto mine = static_cast<std::uint32_t>(among_.rank());
  for (int member = 0; member < among_.size(); ++member) {
    const int rank = among_.world_rank(member);
    const std::uint64_t sent = traffic_towards(here_, rank).sent;
    if (sent > settled_.at(rank)) own_.push_back({mine, static_cast<std::uint32_t>(member), sent});
  }
  held_ = own_;
}

void fence_barrier_run::settle_own() {
  for (const pair_count& each : own_) {
    settled_.settle(among_.world_rank(static_cast<int>(each.target)), each.count);
  }
}

/// The puts of a pair arrive in order: as soon as so many have, they are those that were told.
bool fence_barrier_run::all_arrived() {
  while (!held_.empty()) {
    const pair_count& next = held_.back();
    const int source = among_.world_rank(static_cast<int>(next.source));
    if (arrived_from(here_, source) < next.count) return false;
    held_.pop_back();
  }
  return true;
}

void fence_barrier_run::send(int member, int message, std::span<const pair_count> what) {
  ++count_.messages;
  count_.pairs += what.size();
  send_fence_barrier(here_, among_.world_rank(member), among_.id(), number_, message,
                     std::as_bytes(what));
}

bool fence_barrier_run::came(int message) {
  const auto found = mail_.find({among_.id(), number_, message});
  if (found == mail_.end()) return false;
  held_.insert(held_.end(), found->second.begin(), found->second.end());
  mail_.erase(found);
  return true;
}

template <class Which>
std::vector<pair_count> fence_barrier_run::taken_out(Which which) {
  const auto first = std::partition(held_.begin(), held_.end(), std::not_fn(which));
  std::vector<pair_count> taken(first, held_.end());
  held_.erase(first, held_.end());
  return taken;
}

bool fence_barrier_run::join() {
  if (plan_.is_outside()) {
    send(plan_.other(), plan_.joining(), std::exchange(held_, {}));
    at_ = stage::passing;
    return true;
  }
  if (plan_.has_joined() && !came(plan_.joining())) return false;
  at_ = stage::counting;
  return true;
}

bool fence_barrier_run::exchange_counts() {
  for (; round_ < plan_.rounds(); ++round_) {
    if (sent_ != plan_.counts(round_)) {
      sent_ = plan_.counts(round_);
      const auto over = taken_out([this](const pair_count& each) {
        return plan_.crosses(static_cast<int>(each.target), round_);
      });
      send(plan_.partner(round_), sent_, over);
    }
    if (!came(plan_.counts(round_))) return false;
  }
  round_ = 0;
  at_ = stage::passing;
  return true;
}

bool fence_barrier_run::pass_on() {
  if (plan_.is_outside() && !came(plan_.passing_on())) return false;
  if (plan_.has_joined()) {
    const auto outside = static_cast<std::uint32_t>(plan_.other());
    const auto theirs =
        taken_out([outside](const pair_count& each) { return each.target == outside; });
    send(plan_.other(), plan_.passing_on(), theirs);
  }
  at_ = stage::arriving;
  return true;
}

bool fence_barrier_run::meet() {
  for (; round_ < plan_.rounds(); ++round_) {
    if (sent_ != plan_.meeting(round_)) {
      sent_ = plan_.meeting(round_);
      send(plan_.partner(round_), sent_);
    }
    if (!came(plan_.meeting(round_))) return false;
  }
  at_ = stage::leaving;
  return true;
}

/// Whether it came to another stage.
bool fence_barrier_run::go_on() {
  switch (at_) {
    case stage::telling:
      if (!is_told()) return false;
      if (with_counts_) count_own();
      at_ = with_counts_ ? stage::joining : stage::arriving;
      return true;
    case stage::joining: return join();
    case stage::counting: return exchange_counts();
    case stage::passing: return pass_on();
    case stage::arriving:
      if (!all_arrived()) return false;
      if (plan_.is_outside()) send(plan_.other(), plan_.arrived());
      at_ = plan_.is_outside() ? stage::leaving : stage::gathering;
      return true;
    case stage::gathering:
      if (plan_.has_joined() && !came(plan_.arrived())) return false;
      at_ = stage::meeting;
      return true;
    case stage::meeting: return meet();
    case stage::leaving:
      if (plan_.is_outside() && !came(plan_.leaving())) return false;
      if (plan_.has_joined()) send(plan_.other(), plan_.leaving());
      settle_own();
      at_ = stage::done;
      return true;
    case stage::done: break;
  }
  return false;
}

bool fence_barrier_run::advance() {
  while (go_on()) {
  }
  return at_ == stage::done;
}

std::string fence_barrier_run::describe() const {
  static constexpr std::array names{"what it began to be complete",
                                    "counts of who joined it",
                                    "the first exchange",
                                    "its counts",
                                    "puts to arrive",
                                    "puts to arrive at who joined it",
                                    "the second exchange",
                                    "leave to go on",
                                    "nothing"};
  return fmt::format("fence_barrier #{} on team {:#x} waits for {}", number_, among_.id(),
                     names[static_cast<std::size_t>(at_)]);
}

}  // namespace upwash::detail
