// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/counter_store.hpp"

#include <utility>

#include "upwash/collective/detail/run/messages.hpp"
#include "upwash/collective/detail/run/team_records.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::collective::detail {
namespace {

int member_of(const operation& op, const schedule::step& s) {
  return s.peer == schedule::own ? op.among.rank() : s.peer;
}

}  // namespace

bool counter_store::signal(operation& op, slot& s) {
  const schedule::step& what = s.what;
  const int peer = member_of(op, what);
  if (op.shares_memory) {
    board& on = *op.on_team.shared;
    on.count_up(on.places_of(peer), op.shared_scratch, what.edge);
  } else if (peer == op.among.rank()) {
    counted({op.among.id(), op.run()}, what.edge);
  } else {
    const auto sent = try_send<&handle_count>(here_, op.among.world_rank(peer), op.among.id(),
                                              op.run(), what.edge);
    if (sent.what != conduit::outcome::done) {
      op.stir(s);
      return false;
    }
  }
  op.complete(s);
  return true;
}

bool counter_store::await(operation& op, slot& s) {
  const schedule::step& what = s.what;
  const int peer = member_of(op, what);
  if (op.shares_memory) {
    board& on = *op.on_team.shared;
    if (!on.counted_up(on.places_of(peer), op.shared_scratch, what.edge, what.value).is_there()) {
      op.stir(s);
      return false;
    }
  } else if (peer == op.among.rank()) {
    if (op.counters[what.edge] < what.value) {
      op.stir(s);
      return false;
    }
  } else {
    if (s.state == progress_of::asked) return false;  // until the answer comes
    const auto asked = try_send<&handle_watch>(here_, op.among.world_rank(peer), op.among.id(),
                                               op.run(), what.edge, what.value, slots_.name_of(s));
    if (asked.what != conduit::outcome::done) {
      op.stir(s);
      return false;
    }
    s.state = progress_of::asked;
    return true;
  }
  op.complete(s);
  return true;
}

void counter_store::reached(int teller, std::uint64_t asker) {
  slot& s = slots_.waiting(here_, teller, asker, progress_of::asked);
  s.of->complete(s);
}

void counter_store::counted(const run_key& key, std::uint32_t counter) {
  operation* op = running_.find(key);
  std::vector<std::uint64_t>& counts = op != nullptr ? op->counters : counts_[key];
  if (counts.size() <= counter) counts.resize(counter + 1);
  ++counts[counter];
  if (op != nullptr) {
    op->stirred = true;
    host(here_).act_first();
  }
  answer_watchers(key, counts);
}

void counter_store::watched(const run_key& key, const watcher& by) {
  watchers_.push(key, by);
  operation* op = running_.find(key);
  answer_watchers(key, op != nullptr ? op->counters : counts_[key]);
}

void counter_store::answer_watchers(const run_key& key, const std::vector<std::uint64_t>& counts) {
  if (watchers_.first(key) == nullptr) return;
  std::vector<watcher> now = std::exchange(reached_, {});
  watchers_.take_if(
      [&](const run_key& of, const watcher& by) {
        return of == key && by.counter < counts.size() && counts[by.counter] >= by.value;
      },
      [&now](const run_key& /*of*/, const watcher& by) { now.push_back(by); });
  // In a handler a send queues for credit; in a step it waits, and the handlers that run meanwhile
  // change counts and watchers.
  for (const watcher& by : now) upwash::send<&handle_reached>(here_, by.rank, by.asker);
  now.clear();
  reached_ = std::move(now);
}

void counter_store::take_early(operation& op) {
  const auto early = counts_.find({op.among.id(), op.run()});
  if (early == counts_.end()) return;
  for (std::size_t i = 0; i < early->second.size() && i < op.counters.size(); ++i) {
    op.counters[i] += early->second[i];
  }
  counts_.erase(early);
}

void counter_store::keep(operation& op) {
  counts_[{op.among.id(), op.run()}] = op.counters;
  op.on_team.unsettled.push_back(op.run());
}

void counter_store::forget(std::uint64_t team, const std::vector<std::uint64_t>& runs) {
  for (const std::uint64_t run : runs) counts_.erase({team, run});
}

void counter_store::forget(std::uint64_t team) {
  std::erase_if(counts_, [team](const auto& each) { return each.first.team == team; });
}

}  // namespace upwash::collective::detail
