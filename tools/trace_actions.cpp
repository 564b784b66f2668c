// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace_actions.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "tools/trace_messages.hpp"

namespace upwash::tools {
namespace {

using observe::trace_event;
using observe::trace_kind;
using observe::traced_rank;
using kind = rank_action::kind;

std::int64_t end_of(const trace_event& e) {
  return e.begin_ps + static_cast<std::int64_t>(e.length_ps);
}

/// A rank that is woken looks for what came: its handler begins a little later.
constexpr std::int64_t slack_ps = 3'000'000;

using message_numbers = std::unordered_map<const trace_event*, std::size_t>;
using call_numbers = std::unordered_map<const trace_event*, std::size_t>;

/// The begins of a rank's handlers, ascending.
std::vector<std::int64_t> arrivals_at(const traced_rank& rank) {
  std::vector<std::int64_t> all;
  for (const trace_event& e : rank.events) {
    if (e.kind == trace_kind::arrive) all.push_back(e.begin_ps);
  }
  std::ranges::sort(all);
  return all;
}

bool any_between(const std::vector<std::int64_t>& times, std::int64_t from, std::int64_t until) {
  const auto at = std::ranges::lower_bound(times, from);
  return at != times.end() && *at <= until;
}

class call_list {
 public:
  call_list(const observe::trace& of, trace_actions& into) {
    using key = std::tuple<std::string_view, std::uint16_t, std::uint32_t>;
    struct seen {
      replayed_call call;
      std::vector<const trace_event*> events;
      bool by_messages = false;
    };
    std::map<key, seen> all;
    for (const traced_rank& rank : of.ranks) {
      const auto arrivals = arrivals_at(rank);
      for (const trace_event& e : rank.events) {
        if (e.kind != trace_kind::collective) continue;
        const std::string_view name = rank.name_of(e);
        seen& one = all[{name, e.team, e.number}];
        one.call.operation = name.substr(0, name.find(' '));
        one.call.bytes = e.bytes;
        one.call.members.push_back({rank.head.rank, e.begin_ps, end_of(e)});
        one.events.push_back(&e);
        one.by_messages = one.by_messages || any_between(arrivals, e.begin_ps, end_of(e));
      }
    }
    for (auto& [of_key, one] : all) {
      if (one.by_messages || one.call.members.size() < 2) continue;
      for (const trace_event* each : one.events) numbers_[each] = into.calls.size();
      for (const replayed_call::member& m : one.call.members) {
        one.call.longest_ps = std::max(one.call.longest_ps, own_time(one.call, m));
      }
      into.calls.push_back(std::move(one.call));
    }
  }
  [[nodiscard]] const call_numbers& numbers() const noexcept { return numbers_; }

  /// From the last begin that let the member go on.
  static std::int64_t own_time(const replayed_call& of, const replayed_call::member& member) {
    std::int64_t last = member.begin_ps;
    for (const replayed_call::member& each : of.members) {
      if (each.begin_ps < member.end_ps) last = std::max(last, each.begin_ps);
    }
    return member.end_ps - last;
  }

 private:
  call_numbers numbers_;
};

/// What begins or ends at a time.
struct mark {
  std::int64_t at = 0;
  const trace_event* is = nullptr;
  bool leaves = false;  ///< the end of a collective
};

bool has_length(trace_kind of) noexcept {
  return of != trace_kind::queues && of != trace_kind::tagged && of != trace_kind::receive &&
         of != trace_kind::batch;
}

/// Of those that begin at one time.
int turn_of(trace_kind of) noexcept {
  if (of == trace_kind::wait) return 0;
  return of == trace_kind::arrive ? 1 : 2;
}

/// One rank's events, from the first to the last, as actions.
class action_list {
 public:
  action_list(const traced_rank& rank, const message_numbers& sent, const message_numbers& came,
              const call_numbers& calls)
      : sent_(sent), came_(came), calls_(calls), arrivals_(arrivals_at(rank)) {
    made_.rank = rank.head.rank;
    for (const trace_event& e : rank.events) add(e);
    // What contains another begins first, or at the same time and lasts longer. In virtual time a
    // handler may take none, and what it sends some: it comes first nevertheless.
    std::ranges::stable_sort(marks_, {}, [](const mark& m) {
      return std::tuple(m.at, m.leaves, turn_of(m.is->kind), m.leaves ? 0 : -end_of(*m.is));
    });
  }

  replayed_rank walk() {
    if (marks_.empty()) return std::move(made_);
    at_ = made_.begin_ps = marks_.front().at;
    for (const mark& each : marks_) {
      pass_to(each.at);
      if (each.is->kind == trace_kind::collective) {
        calls_open_ += each.leaves ? -1 : 1;
        act(each.leaves ? kind::leave : kind::enter, *each.is, calls_.at(each.is));
      } else {
        begin(*each.is);
      }
    }
    while (!open_.empty()) close();
    return std::move(made_);
  }

 private:
  struct open_slice {
    const trace_event* is;
    std::int64_t end;
  };

  void add(const trace_event& e) {
    if (e.kind == trace_kind::collective) {
      if (!calls_.contains(&e)) return;
      marks_.push_back({e.begin_ps, &e, false});
      marks_.push_back({end_of(e), &e, true});
    } else if (has_length(e.kind)) {
      marks_.push_back({e.begin_ps, &e, false});
    }
  }

  void pass_to(std::int64_t until) {
    while (!open_.empty() && open_.back().end <= until) close();
    spend(until, false);
  }
  void close() {
    spend(open_.back().end, true);
    open_.pop_back();
  }

  /// The time up to then belongs to what is innermost. `ends`: that is over then.
  void spend(std::int64_t until, bool ends) {
    const std::int64_t ps = until - at_;
    if (ps <= 0) return;
    at_ = until;
    if (open_.empty()) return work(ps);
    switch (open_.back().is->kind) {
      case trace_kind::wait:
        if (!is_explained(until, ends)) work(ps);
        return;
      case trace_kind::send:
      case trace_kind::put:
      case trace_kind::get:
      case trace_kind::atomic:
      case trace_kind::flush: made_.actions[owner_.at(open_.back().is)].ps += ps; return;
      default: return work(ps);
    }
  }

  /// Whether what ended this part of a wait is done again.
  [[nodiscard]] bool is_explained(std::int64_t until, bool ends) const {
    if (!ends || calls_open_ > 0) return true;  // a handler began, or the call's end is waited for
    return any_between(arrivals_, until, until + slack_ps);
  }

  void work(std::int64_t ps) {
    if (!made_.actions.empty() && made_.actions.back().what == kind::work) {
      made_.actions.back().ps += ps;
      return;
    }
    made_.actions.push_back({.what = kind::work, .ps = ps});
  }

  void begin(const trace_event& e) {
    switch (e.kind) {
      case trace_kind::send:
        if (const auto found = sent_.find(&e); found != sent_.end()) {
          act(kind::send, e, found->second);
        } else {
          act(kind::put, e, 0);  // nobody is known to wait for it
        }
        break;
      case trace_kind::arrive:
        if (const auto found = came_.find(&e); found != came_.end()) {
          act(kind::arrive, e, found->second);
        }
        break;
      case trace_kind::put: act(kind::put, e, 0); break;
      case trace_kind::get:
      case trace_kind::atomic: act(kind::fetch, e, 0); break;
      case trace_kind::flush: act(kind::flush, e, 0); break;
      default: break;
    }
    const std::int64_t end = open_.empty() ? end_of(e) : std::min(end_of(e), open_.back().end);
    open_.push_back({&e, std::max(end, e.begin_ps)});
  }

  void act(kind what, const trace_event& e, std::size_t which) {
    owner_[&e] = made_.actions.size();
    made_.actions.push_back({what, e.peer, e.bytes, 0, which});
  }

  const message_numbers& sent_;
  const message_numbers& came_;
  const call_numbers& calls_;
  std::vector<std::int64_t> arrivals_;
  int calls_open_ = 0;
  std::vector<mark> marks_;
  std::vector<open_slice> open_;
  std::unordered_map<const trace_event*, std::size_t> owner_;  ///< the action of an event
  std::int64_t at_ = 0;
  replayed_rank made_;
};

}  // namespace

trace_actions actions_of(const observe::trace& of) {
  trace_actions made;
  message_numbers sent;
  message_numbers came;
  for_each_message(of, [&](const traced_message& m) {
    if (m.arrived == nullptr) return;
    sent[m.sent] = came[m.arrived] = made.messages.size();
    made.messages.push_back({m.source->head.rank, m.destination->head.rank, m.sent->bytes,
                             m.arrived->begin_ps - m.sent->begin_ps});
  });
  const call_list calls(of, made);
  for (const traced_rank& rank : of.ranks) {
    made.ranks.push_back(action_list(rank, sent, came, calls.numbers()).walk());
  }
  return made;
}

}  // namespace upwash::tools
