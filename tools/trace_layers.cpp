// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace_layers.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace upwash::tools {
namespace {

using observe::trace_event;
using observe::trace_kind;
using observe::traced_rank;

template <class Take>
void for_each_of(const observe::trace& of, trace_kind kind, const Take& take) {
  for (const traced_rank& rank : of.ranks) {
    for (const trace_event& e : rank.events) {
      if (e.kind == kind) take(rank, e);
    }
  }
}

/// "batch full at main.cpp:7": the cause, and where the stream was opened.
std::pair<std::string, std::string> cause_and_place(std::string_view name) {
  const auto take_word = [&name] {
    const std::string_view word = name.substr(0, name.find(' '));
    name.remove_prefix(std::min(name.size(), word.size() + 1));
    return word;
  };
  take_word();
  std::string cause(take_word());
  take_word();
  return {std::move(cause), std::string(name)};
}

/// How deep the queues of one rank were, from its first event on.
class queue_walk {
 public:
  queue_walk(matching_total& into, std::int64_t end_ps)
      : into_(into), end_(std::max<std::int64_t>(end_ps, 1)) {}

  void walk(const traced_rank& rank) {
    matching_total::at_rank seen{rank.head.rank, 0, 0};
    bool any = false;
    for (const trace_event& e : rank.events) {
      if (e.kind == trace_kind::queues) {
        pass_to(e.begin_ps);
        change({e.bytes, e.number});
        seen.most_posted = std::max(seen.most_posted, posted_);
        seen.most_kept = std::max(seen.most_kept, kept_);
      } else if (e.kind == trace_kind::tagged || e.kind == trace_kind::receive) {
        count(e);
        any = true;
      }
    }
    pass_to(end_);
    if (any) into_.ranks.push_back(seen);
  }

 private:
  struct depths {
    std::uint64_t posted;
    std::uint64_t kept;
  };

  void count(const trace_event& e) {
    last_ = e.kind;
    if (e.kind == trace_kind::receive) {
      ++into_.receives;
      return;
    }
    ++into_.messages;
    tag_total& of_tag = into_.tags[e.number];
    ++of_tag.messages;
    of_tag.bytes += e.bytes;
  }

  /// What the last event brought about shows in the first depths behind it.
  void change(const depths& now) {
    if (last_ == trace_kind::tagged) {
      into_.found_a_receive += now.posted < posted_;
      into_.kept += now.kept > kept_;
    } else if (last_ == trace_kind::receive) {
      into_.found_a_message += now.kept < kept_;
      into_.waited += now.posted > posted_;
    }
    last_.reset();
    posted_ = now.posted;
    kept_ = now.kept;
  }

  /// The depths were these until then.
  void pass_to(std::int64_t until) {
    const std::size_t stretches = into_.posted.size();
    const auto stretch = [&](std::int64_t at) {
      const double share = static_cast<double>(at) / static_cast<double>(end_);
      return std::min(stretches - 1,
                      static_cast<std::size_t>(share * static_cast<double>(stretches)));
    };
    for (std::size_t i = stretch(since_); i <= stretch(until); ++i) {
      into_.posted[i] = std::max(into_.posted[i], posted_);
      into_.unexpected[i] = std::max(into_.unexpected[i], kept_);
    }
    since_ = until;
  }

  matching_total& into_;
  std::int64_t end_;
  std::int64_t since_ = 0;
  std::uint64_t posted_ = 0;
  std::uint64_t kept_ = 0;
  std::optional<trace_kind> last_;
};

}  // namespace

std::vector<stream_total> streams_of(const observe::trace& of) {
  std::map<std::pair<std::string, std::string>, stream_total> all;
  for_each_of(of, trace_kind::batch, [&all](const traced_rank& rank, const trace_event& e) {
    const auto [cause, place] = cause_and_place(rank.name_of(e));
    stream_total& total = all[{place, cause}];
    total.opened_at = place;
    total.cause = cause;
    ++total.messages;
    total.items += e.number;
    total.bytes += e.bytes;
    total.fill += e.team / 1000.0;
    const std::size_t tenth = e.team == 0 ? 0 : (e.team - 1U) / 100U;
    ++total.fills[std::min(tenth, total.fills.size() - 1)];
    ++total.receivers[e.peer];
  });
  std::vector<stream_total> made;
  for (auto& [key, total] : all) made.push_back(std::move(total));
  return made;
}

matching_total matching_of(const observe::trace& of, std::int64_t end_ps, std::size_t stretches) {
  matching_total made;
  made.posted.resize(std::max<std::size_t>(stretches, 1));
  made.unexpected.resize(made.posted.size());
  for (const traced_rank& rank : of.ranks) queue_walk(made, end_ps).walk(rank);
  return made;
}

std::vector<migration_total> migrations_of(const observe::trace& of) {
  std::map<std::tuple<std::string, int, int>, migration_total> all;
  for_each_of(of, trace_kind::migrate, [&all](const traced_rank& rank, const trace_event& e) {
    const std::string name(rank.name_of(e));
    migration_total& total = all[{name, rank.head.rank, e.peer}];
    total.name = name;
    total.from = rank.head.rank;
    total.to = e.peer;
    ++total.objects;
    total.bytes += e.bytes;
  });
  std::vector<migration_total> made;
  for (auto& [key, total] : all) made.push_back(std::move(total));
  return made;
}

}  // namespace upwash::tools
