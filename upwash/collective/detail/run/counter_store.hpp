// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counters: on the team's board, or kept by their owner, who hears of changes by messages and tells
// those who watch.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "upwash/base/keyed_queues.hpp"
#include "upwash/collective/detail/run/in_flight.hpp"
#include "upwash/collective/detail/run/keys.hpp"
#include "upwash/collective/detail/run/slots.hpp"

namespace upwash::collective::detail {

/// Who wants to hear when a counter has reached a value.
struct watcher {
  int rank = 0;  ///< world rank
  std::uint32_t counter = 0;
  std::uint64_t value = 0;
  std::uint64_t asker = 0;  ///< its name for its slot
};

/// Moves the steps signal and await on. Owns the counters by message of operations that do not run
/// here: not yet, or no more, until the team has settled, since slower members may still ask; and
/// who watches. A running operation has its own. Memory: the counters of operations between two
/// settlings of a team.
class counter_store {
 public:
  counter_store(job& here, slot_store& slots, const in_flight& running)
      : here_(here), slots_(slots), running_(running) {}

  /// Moves the step on; whether it came further.
  bool signal(operation& op, slot& s);
  bool await(operation& op, slot& s);

  // Messages, as they come; `counted` also from this rank's own step.
  void counted(const run_key& key, std::uint32_t counter);
  void watched(const run_key& key, const watcher& by);
  void reached(int teller, std::uint64_t asker);

  /// Gives an operation that begins what was counted before it did.
  void take_early(operation& op);
  /// Keeps those of an operation that is over.
  void keep(operation& op);
  /// The team's members have settled: nobody asks for these any more.
  void forget(std::uint64_t team, const std::vector<std::uint64_t>& runs);
  void forget(std::uint64_t team);

 private:
  void answer_watchers(const run_key& key, const std::vector<std::uint64_t>& counts);

  job& here_;
  slot_store& slots_;
  const in_flight& running_;
  std::map<run_key, std::vector<std::uint64_t>> counts_;
  keyed_queues<run_key, watcher, run_hash> watchers_;
  std::vector<watcher> reached_;  ///< empty: room for those that are told now
};

}  // namespace upwash::collective::detail
