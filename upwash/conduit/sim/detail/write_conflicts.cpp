// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/sim/detail/write_conflicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::conduit::sim {

write_conflicts::write_conflicts(scheduler& ranks, const segments& memory)
    : scheduler_(ranks), memory_(memory), ranks_(static_cast<std::size_t>(ranks.size())) {
  for (rank_state& each : ranks_) each.writes.resize(ranks_.size());
}

std::uint32_t write_conflicts::caller() {
  constexpr std::size_t own = 2;
  const call_stack seen = call_stack::here(own);
  const auto [at, fresh] =
      numbers_.try_emplace(seen, static_cast<std::uint32_t>(callers_.size() + 1));
  if (fresh) callers_.push_back(seen);
  return at->second;
}

std::uint32_t write_conflicts::begin(int rank) {
  if (ended_.empty()) {
    ended_.push_back(static_cast<std::uint32_t>(begun_.size()));
    begun_.emplace_back();
  }
  const std::uint32_t operation = ended_.back();
  ended_.pop_back();
  begun_[operation] = {now(rank), nullptr, caller()};
  return operation;
}

void write_conflicts::end(std::uint32_t operation) {
  let_go(begun_[operation]);
  ended_.push_back(operation);
}

void write_conflicts::injects(int rank, std::uint32_t operation, bool is_first_step) {
  at(rank).injecting = begun_[operation];
  at(rank).later_step = !is_first_step;
}

/// What the rank knows, held once more.
write_conflicts::knowledge* write_conflicts::now(int rank) {
  rank_state& from = at(rank);
  if (from.shared == nullptr) {
    if (unused_.empty()) {
      pool_.push_back(std::make_unique<knowledge>());
      unused_.push_back(pool_.back().get());
    }
    from.shared = std::exchange(unused_.back(), nullptr);
    unused_.pop_back();
    from.shared->holders = 1;
    from.shared->writes = from.writes;
  }
  ++from.shared->holders;
  return from.shared;
}

write_conflicts::origin write_conflicts::depart(int rank) {
  const rank_state& by = at(rank);
  if (by.injecting.known == nullptr) return {now(rank), nullptr, 0};
  origin from = share(by.injecting);
  if (by.later_step) from.behind = now(rank);
  return from;
}

write_conflicts::origin write_conflicts::share(const origin& with) noexcept {
  if (with.known != nullptr) ++with.known->holders;
  if (with.behind != nullptr) ++with.behind->holders;
  return with;
}

write_conflicts::horizon write_conflicts::horizon_of(const origin& from, int owner) noexcept {
  const auto at = static_cast<std::size_t>(owner);
  const std::uint32_t known = from.known->writes[at];
  return {known, from.behind == nullptr ? known : std::max(known, from.behind->writes[at])};
}

void write_conflicts::drop(knowledge*& of) {
  knowledge* gone = std::exchange(of, nullptr);
  if (gone != nullptr && --gone->holders == 0) unused_.push_back(gone);
}

void write_conflicts::merge(int rank, const std::vector<std::uint32_t>& news) {
  rank_state& to = at(rank);
  bool learnt = false;
  for (std::size_t owner = 0; owner < news.size(); ++owner) {
    learnt = learnt || news[owner] > to.writes[owner];
    to.writes[owner] = std::max(to.writes[owner], news[owner]);
  }
  if (learnt) drop(to.shared);
}

void write_conflicts::learn(int rank, const origin& from) {
  if (from.known != nullptr && from.known != at(rank).shared) merge(rank, from.known->writes);
}

void write_conflicts::learn_from(int rank, int other) {
  if (rank != other) merge(rank, at(other).writes);
}

void write_conflicts::add_to(std::vector<std::uint32_t>& meeting, int rank) {
  const std::vector<std::uint32_t>& known = at(rank).writes;
  meeting.resize(known.size());
  for (std::size_t i = 0; i < known.size(); ++i) meeting[i] = std::max(meeting[i], known[i]);
}

void write_conflicts::learn(int rank, const std::vector<std::uint32_t>& meeting) {
  merge(rank, meeting);
}

std::uint32_t write_conflicts::next_event(int owner) {
  drop(at(owner).shared);
  return ++at(owner).writes[static_cast<std::size_t>(owner)];
}

void write_conflicts::deliver(int owner, const origin& from) {
  if (from.known == nullptr) return;
  rank_state& to = at(owner);
  to.message_horizon = horizon_of(from, owner);
  to.message_event = 0;
  to.message_caller = from.caller;
  learn(owner, from);
}

void write_conflicts::wrote(int owner, int source, std::span<const std::byte> bytes) {
  rank_state& to = at(owner);
  if (to.message_event == 0) to.message_event = next_event(owner);
  enter(owner, bytes,
        {nullptr, to.message_event, source, to.message_caller, scheduler_.clock(owner)},
        to.message_horizon);
}

void write_conflicts::land(int owner, int source, std::span<const std::byte> bytes,
                           const origin& from) {
  const stretch made{nullptr, next_event(owner), source, from.caller, scheduler_.events().now()};
  enter(owner, bytes, made, horizon_of(from, owner));
  learn(owner, from);
}

/// Cuts what is written there so that the bytes are stretches of their own; the first of them.
write_conflicts::stretches::iterator write_conflicts::carve(stretches& in,
                                                            std::span<const std::byte> bytes) {
  const auto cut = [&in](const std::byte* where) {
    auto next = in.lower_bound(where);
    if (next == in.begin()) return next;
    auto before = std::prev(next);
    if (before->second.end <= where) return next;
    const stretch rest = before->second;
    before->second.end = where;
    return in.emplace_hint(next, where, rest);
  };
  cut(bytes.data() + bytes.size());
  return cut(bytes.data());
}

void write_conflicts::enter(int owner, std::span<const std::byte> bytes, const stretch& made,
                            const horizon& before) {
  if (bytes.empty()) return;
  rank_state& to = at(owner);
  const std::byte* const end = bytes.data() + bytes.size();
  auto next = carve(to.written, bytes);
  while (next != to.written.end() && next->first < end) {
    const stretch& earlier = next->second;
    const std::uint32_t known = earlier.source == made.source ? before.of_own : before.of_all;
    if (earlier.event > known && earlier.event != made.event) {
      report(owner, next->first, earlier.end, earlier, made);
    }
    next = to.written.erase(next);
  }
  stretch& now = to.written[bytes.data()];
  now = made;
  now.end = end;
  if (to.written.size() > to.tidy_from) tidy(owner);
}

/// Everybody knows of it, also whatever is under way: what comes is ordered behind it.
void write_conflicts::tidy(int owner) {
  const auto of = static_cast<std::size_t>(owner);
  std::uint32_t all_know = UINT32_MAX;
  for (const rank_state& each : ranks_) all_know = std::min(all_know, each.writes[of]);
  for (const auto& each : pool_) {
    if (each->holders != 0) all_know = std::min(all_know, each->writes[of]);
  }
  stretches& written = at(owner).written;
  std::erase_if(written, [&](const auto& each) { return each.second.event <= all_know; });
  at(owner).tidy_from = 2 * written.size() + 1024;
}

void write_conflicts::forget(int owner, std::span<const std::byte> gone) {
  if (gone.empty()) return;
  stretches& written = at(owner).written;
  const auto first = carve(written, gone);
  written.erase(first, written.lower_bound(gone.data() + gone.size()));
}

void write_conflicts::report(int owner, const std::byte* first, const std::byte* last,
                             const stretch& earlier, const stretch& later) {
  const bool by_one = earlier.source == later.source;
  const std::span<const std::byte> in = memory_.around(first);
  scheduler_.fail(std::make_exception_ptr(error(
      error_kind::fault,
      fmt::format("{} bytes {} to {} of the {} that rank {} has in a segment, and nothing orders "
                  "the two: whoever writes first completes that (wait, quiet, fence) and then {}; "
                  "docs/onesided.md has what is ordered\n  first  {}\n  then   {}",
                  by_one ? fmt::format("rank {} writes twice", later.source)
                         : fmt::format("ranks {} and {} write", earlier.source, later.source),
                  first - in.data(), last - in.data(), in.size(), owner,
                  by_one ? "writes again" : "tells the other", describe(earlier),
                  describe(later)))));
}

/// Who wrote when, and the calls that led there: the program's first.
std::string write_conflicts::describe(const stretch& of) const {
  std::string text = fmt::format("rank {}, there at {:.3f} us", of.source, of.when.us());
  if (of.caller == 0) return text;
  constexpr std::size_t most_calls = 4;
  std::size_t shown = 0;
  for (const std::string& call : callers_[of.caller - 1].lines()) {
    if (shown == 0 && call.starts_with("upwash::detail::")) continue;
    const auto names = [&call](const char* what) { return call.find(what) != call.npos; };
    if (names("::run_ranks(") || names("::run_all(") || shown++ == most_calls) break;
    text += "\n         in " + call;
  }
  return text;
}

}  // namespace upwash::conduit::sim
