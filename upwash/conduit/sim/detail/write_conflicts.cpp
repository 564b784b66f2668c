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
  for (rank_state& each : ranks_) each.counts.resize(2 * ranks_.size());
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
  begun_[operation] = {{now(rank), {}, static_cast<std::uint32_t>(told_.size()), caller()}, rank};
  told_.push_back(0);
  return operation;
}

void write_conflicts::end(std::uint32_t operation) {
  let_go(begun_[operation].from);
  ended_.push_back(operation);
}

void write_conflicts::is_untold(std::uint32_t operation, int target) {
  const begun& one = begun_[operation];
  at(one.rank).untold[target].push_back(one.from.operation);
}

void write_conflicts::complete(std::uint32_t operation) {
  tell_of(begun_[operation].rank, begun_[operation].from.operation);
}

void write_conflicts::confirmed(std::uint32_t operation, int target) {
  const begun& question = begun_[operation];
  std::vector<std::uint32_t>& open = at(question.rank).untold[target];
  const auto later = std::ranges::lower_bound(open, question.from.operation);
  for (auto each = open.begin(); each != later; ++each) tell_of(question.rank, *each);
  open.erase(open.begin(), later);
}

void write_conflicts::tell_of(int rank, std::uint32_t operation) {
  if (told_[operation] != 0) return;
  drop(at(rank).shared);
  told_[operation] = ++at(rank).counts[ranks_.size() + static_cast<std::size_t>(rank)];
}

void write_conflicts::injects(int rank, std::uint32_t operation, bool is_first_step) {
  at(rank).injecting = begun_[operation].from;
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
    from.shared->counts = from.counts;
  }
  ++from.shared->holders;
  return from.shared;
}

write_conflicts::origin write_conflicts::depart(int rank, int destination) {
  const rank_state& by = at(rank);
  if (by.by_memory) return {};
  if (by.injecting.known == nullptr) return {now(rank), {}, 0, 0};
  origin from = share(by.injecting);
  if (!by.later_step) return from;
  const auto there = by.there.find(destination);
  from.behind = {std::max(by.counts[static_cast<std::size_t>(destination)],
                          there == by.there.end() ? 0 : there->second),
                 by.counts[ranks_.size() + static_cast<std::size_t>(rank)]};
  return from;
}

write_conflicts::origin write_conflicts::share(const origin& with) noexcept {
  if (with.known != nullptr) ++with.known->holders;
  return with;
}

bool write_conflicts::knows(const origin& from, int owner, const stretch& first,
                            const stretch& second) const noexcept {
  const std::vector<std::uint32_t>& known = from.known->counts;
  std::uint32_t writes = known[static_cast<std::size_t>(owner)];
  std::uint32_t operations = known[ranks_.size() + static_cast<std::size_t>(first.source)];
  if (first.source == second.source) {
    writes = std::max(writes, from.behind.writes);
    operations = std::max(operations, from.behind.operations);
  }
  const std::uint32_t told = told_[first.operation];
  return first.event <= writes || (told != 0 && told <= operations);
}

void write_conflicts::drop(knowledge*& of) {
  knowledge* gone = std::exchange(of, nullptr);
  if (gone != nullptr && --gone->holders == 0) unused_.push_back(gone);
}

void write_conflicts::merge(int rank, const std::vector<std::uint32_t>& news) {
  rank_state& to = at(rank);
  bool learnt = false;
  for (std::size_t i = 0; i < news.size(); ++i) {
    learnt = learnt || news[i] > to.counts[i];
    to.counts[i] = std::max(to.counts[i], news[i]);
  }
  if (learnt) drop(to.shared);
}

void write_conflicts::learn(int rank, const origin& from) {
  if (from.known != nullptr && from.known != at(rank).shared) merge(rank, from.known->counts);
}

void write_conflicts::learn_from(int rank, int other) {
  if (rank != other) merge(rank, at(other).counts);
}

void write_conflicts::add_to(std::vector<std::uint32_t>& meeting, int rank) {
  const std::vector<std::uint32_t>& known = at(rank).counts;
  meeting.resize(known.size());
  for (std::size_t i = 0; i < known.size(); ++i) meeting[i] = std::max(meeting[i], known[i]);
}

void write_conflicts::learn(int rank, const std::vector<std::uint32_t>& meeting) {
  merge(rank, meeting);
}

std::uint32_t write_conflicts::next_event(int owner) {
  drop(at(owner).shared);
  return ++at(owner).counts[static_cast<std::size_t>(owner)];
}

void write_conflicts::deliver(int owner, const origin& from) {
  if (from.known == nullptr) return;
  rank_state& to = at(owner);
  to.message = &from;
  to.message_event = 0;
  learn(owner, from);
}

void write_conflicts::wrote(int owner, int source, std::span<const std::byte> bytes) {
  rank_state& to = at(owner);
  if (to.message_event == 0) to.message_event = next_event(owner);
  const origin& from = *to.message;
  enter(owner, bytes,
        {nullptr, to.message_event, from.operation, source, from.caller, scheduler_.clock(owner)},
        from);
}

void write_conflicts::land(int owner, int source, std::span<const std::byte> bytes,
                           const origin& from) {
  const stretch made{nullptr, next_event(owner), from.operation,
                     source,  from.caller,       scheduler_.events().now()};
  enter(owner, bytes, made, from);
  learn(owner, from);
}

/// What is of no operation, as the data of long messages, is told in no other way.
void write_conflicts::heard(int rank, int owner, const origin& from) {
  if (from.operation == 0) return learn_from(rank, owner);
  at(rank).there[owner] = at(owner).counts[static_cast<std::size_t>(owner)];
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
                            const origin& from) {
  if (bytes.empty()) return;
  rank_state& to = at(owner);
  const std::byte* const end = bytes.data() + bytes.size();
  auto next = carve(to.written, bytes);
  while (next != to.written.end() && next->first < end) {
    const stretch& earlier = next->second;
    if (earlier.event != made.event && !knows(from, owner, earlier, made)) {
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
  std::vector<std::uint32_t> all_know(2 * ranks_.size(), UINT32_MAX);
  const auto meet = [&all_know](const std::vector<std::uint32_t>& known) {
    for (std::size_t i = 0; i < known.size(); ++i) all_know[i] = std::min(all_know[i], known[i]);
  };
  for (const rank_state& each : ranks_) meet(each.counts);
  for (const auto& each : pool_) {
    if (each->holders != 0) meet(each->counts);
  }
  stretches& written = at(owner).written;
  std::erase_if(written, [&](const auto& each) {
    const stretch& one = each.second;
    const std::uint32_t told = told_[one.operation];
    return one.event <= all_know[static_cast<std::size_t>(owner)] ||
           (told != 0 && told <= all_know[ranks_.size() + static_cast<std::size_t>(one.source)]);
  });
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
