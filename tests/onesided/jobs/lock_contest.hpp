// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that want one lock, for tests with few and with many of them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "tests/harness/job_test.hpp"
#include "upwash/onesided/locks.hpp"

namespace upwash::test {

inline constexpr std::array kinds{lock_kind::ticket, lock_kind::server,       lock_kind::hybrid,
                                  lock_kind::queue,  lock_kind::test_and_set, lock_kind::array};

inline std::uint64_t as_count(int n) { return static_cast<std::uint64_t>(n); }

/// A word that nothing protects but the lock: what two change at once is lost.
inline void count_up(job& here, global_ptr<std::uint64_t> word) {
  const std::uint64_t seen = get_value(here, word);
  here.progress();
  put_value(here, word, seen + 1);
}

/// All members add to one word under one lock; `owner` has the lock, `home` the word.
inline void contend(const team& among, lock_kind kind, int owner, int home, int rounds) {
  job& here = among.here();
  lock_set locks(among, 2, kind);
  region words = allocate(among, 8);
  const auto word = words.at<std::uint64_t>(home);
  control::barrier(among);
  for (int i = 0; i < rounds; ++i) {
    const held_lock mine(locks, owner, 1);
    ASSERT_TRUE(locks.holds(owner, 1));
    count_up(here, word);
  }
  control::barrier(among);
  if (among.rank() == home) {
    ASSERT_EQ(words.mine_as<std::uint64_t>()[0], as_count(rounds) * as_count(among.size()))
        << to_string(kind) << ", owner " << owner;
  }
  control::barrier(among);
  free(words);
  locks.release();
}

/// A time that all ranks share, and waiting for so long after it. All are served meanwhile.
struct shared_clock {
  explicit shared_clock(job& home) : here(home) {
    std::array<std::uint64_t, 1> latest{static_cast<std::uint64_t>(here.now().ps())};
    control::all_reduce(here.world(), latest, control::fold::most);
    start = duration::from_ps(static_cast<std::int64_t>(latest[0]));
  }
  void wait_for(int milliseconds) const {
    const duration until = start + duration::from_us(1000) * milliseconds;
    while (here.now() < until) {
      here.compute(duration::from_us(20));
      here.progress();
    }
  }
  job& here;
  duration start;
};

/// Each asks when all before it have; the first holds the lock until all wait.
inline void ask_in_turn(job& here, lock_kind kind, int owner) {
  const int ranks = here.size();
  lock_set locks(here.world(), 1, kind);
  region order = allocate(here.world(), (as_count(ranks) + 1) * 8);
  const auto turns = order.at<std::uint64_t>(0);
  const shared_clock clock(here);
  clock.wait_for(1 + here.rank());
  locks.lock(owner, 0);
  if (here.rank() == 0) clock.wait_for(ranks + 2);
  const std::uint64_t turn = get_value(here, turns);
  put_value(here, turns + static_cast<std::ptrdiff_t>(1 + turn), as_count(here.rank()));
  put_value(here, turns, turn + 1);
  locks.unlock(owner, 0);
  control::barrier(here.world());
  if (here.rank() == 0) {
    const auto seen = order.mine_as<std::uint64_t>();
    ASSERT_EQ(seen[0], as_count(ranks));
    for (int r = 0; r < ranks; ++r) {
      ASSERT_EQ(seen[as_count(1 + r)], as_count(r)) << to_string(kind) << ", owner " << owner;
    }
  }
  control::barrier(here.world());
  free(order);
  locks.release();
}

}  // namespace upwash::test
