// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counters: on the team's board, or kept by their owner, who hears of changes by messages and tells
// those who watch. An owner keeps them after its operation is over, until the team has settled:
// slower members may still ask.
#include <algorithm>

#include "upwash/collective/detail/run/messages.hpp"
#include "upwash/collective/detail/run/service.hpp"
#include "upwash/core/active_message.hpp"

namespace upwash::collective::detail {
namespace {

int member_of(const operation& op, const schedule::step& s) {
  return s.peer == schedule::own ? op.among.rank() : s.peer;
}

}  // namespace

bool executor::signal(operation& op, slot& s) {
  const schedule::step& what = s.what;
  const int peer = member_of(op, what);
  if (op.shares_memory) {
    std::atomic_ref(op.on_team.shared->counter(peer, op.epoch, what.edge).value).fetch_add(1);
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

bool executor::await(operation& op, slot& s) {
  const schedule::step& what = s.what;
  const int peer = member_of(op, what);
  if (op.shares_memory) {
    const auto seen = std::atomic_ref(op.on_team.shared->counter(peer, op.epoch, what.edge).value)
                          .load(std::memory_order_acquire);
    if (seen < what.value) {
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
    const auto asked =
        try_send<&handle_watch>(here_, op.among.world_rank(peer), op.among.id(), op.run(),
                                what.edge, what.value, spare_slots_.name_of(s));
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

/// In a handler, or from this rank's own step.
void executor::counted(const run_key& key, std::uint32_t counter) {
  operation* op = find(key);
  std::vector<std::uint64_t>& counts = op != nullptr ? op->counters : counts_[key];
  if (counts.size() <= counter) counts.resize(counter + 1);
  ++counts[counter];
  if (op != nullptr) {
    op->stirred = true;
    here_.act_first();
  }
  answer_watchers(key, counts);
}

void executor::watched(const run_key& key, const watcher& by) {
  watchers_.emplace(key, by);
  operation* op = find(key);
  answer_watchers(key, op != nullptr ? op->counters : counts_[key]);
}

void executor::answer_watchers(const run_key& key, const std::vector<std::uint64_t>& counts) {
  std::vector<watcher> reached;
  for (auto [at, end] = watchers_.equal_range(key); at != end;) {
    const watcher& by = at->second;
    if (by.counter >= counts.size() || counts[by.counter] < by.value) {
      ++at;
      continue;
    }
    reached.push_back(by);
    at = watchers_.erase(at);
  }
  // In a handler a send queues for credit; in a step it waits, and the handlers that run meanwhile
  // change counts and watchers.
  for (const watcher& by : reached) upwash::send<&handle_reached>(here_, by.rank, by.asker);
}

/// What came before the operation did.
void executor::take_early_counts(operation& op) {
  const auto early = counts_.find({op.among.id(), op.run()});
  if (early == counts_.end()) return;
  for (std::size_t i = 0; i < early->second.size() && i < op.counters.size(); ++i) {
    op.counters[i] += early->second[i];
  }
  counts_.erase(early);
}

void executor::keep_counters(operation& op) {
  counts_[{op.among.id(), op.run()}] = op.counters;
  op.on_team.unsettled.push_back(op.run());
}

}  // namespace upwash::collective::detail
