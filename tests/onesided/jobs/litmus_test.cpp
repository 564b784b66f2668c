// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of docs/onesided.md, row by row: what is seen by whom after what. Values only grow, so
// whoever sees a flag of some round must see the data of that round, or of a later one.
//
// What these can find depends on the processor. x86 keeps the order of stores and that of loads:
// there the bodies find what the protocol or the compiler gets wrong, not a fence that is missing.
// scripts/check-fences looks for those in the instructions for 64-bit ARM, wherever it runs.
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/memory_handler.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/onesided/accumulate.hpp"
#include "upwash/onesided/aggregate.hpp"
#include "upwash/onesided/fence.hpp"
#include "upwash/onesided/semaphore.hpp"
#include "upwash/onesided/transfer.hpp"

namespace {

using namespace upwash;
using word = std::uint64_t;

constexpr word rounds = 25;
enum : std::uint64_t { flag, data, other_flag, other_data, words = 8 };

/// Words at each rank that grow from round to round.
struct cells {
  explicit cells(job& in) : here(in), area(allocate(in.world(), words * sizeof(word))) {
    control::barrier(here.world());
  }
  [[nodiscard]] global_ptr<word> at(int rank, std::uint64_t which) const {
    return area.at<word>(rank, which);
  }
  [[nodiscard]] const word& mine(std::uint64_t which) const { return area.mine_as<word>()[which]; }
  void end() {
    here.quiet();
    control::barrier(here.world());
    free(area);
  }

  job& here;
  region area;
};

void store(memory_call& call, word value) { call.values<word>(0, 1)[0] = value; }
using storing = memory_operation<&store>;

/// Ways to write a word so that it is visible when they return.
enum class way {
  request,
  implicit_one,
  notices,
  unacknowledged_fence,
  unacknowledged_all,
  unacknowledged_confirm,
  strided_runs,
  aggregated,
  summed,
  atomically,
  by_call,
  count
};

void write(job& here, way how, storing by, global_ptr<word> to, const word& value) {
  const std::span<const word> from(&value, 1);
  switch (how) {
    case way::request: return put(here, to, from).wait();
    case way::implicit_one: put(here, to, from, implicit); return here.quiet(to.rank());
    case way::notices: {
      completion_counter there;
      put(here, to, from, {.local = {}, .remote = notice::to(there)});
      return there.wait(here);
    }
    case way::unacknowledged_fence: put(here, to, from, unacknowledged).wait(); break;
    case way::unacknowledged_all:
      put(here, to, from, unacknowledged).wait();
      static_cast<void>(fence_all(here));
      return;
    case way::unacknowledged_confirm:
      put(here, to, from, unacknowledged).wait();
      return confirm(here, to.rank()).wait();
    case way::strided_runs: {
      const strided halves{.bytes = 4, .levels = 1, .level = {{{2, 4, 4}}}};
      return put(here, to, from, halves).wait();
    }
    case way::aggregated: {
      aggregate puts(here, to.rank());
      puts.put(to, value);
      return puts.flush().wait();
    }
    case way::summed: {
      const std::int64_t one = 1;
      return accumulate(here, global_ptr<std::int64_t>(to.as<std::int64_t>()),
                        std::span<const std::int64_t>(&one, 1))
          .wait();
    }
    case way::atomically: return atomic_store(here, to, value);
    case way::by_call: return call_owner(here, by, to, {}, value).wait();
    case way::count: break;
  }
  fence(here, to.rank());
}

void pause_at_random(job& here, random_stream& draw) {
  if (draw.below(2) == 0) here.progress();
  if (draw.below(3) == 0) here.compute(duration::from_ns(static_cast<double>(draw.below(2000))));
}

/// One way for each round of the words: sums and other writes of a word do not mix.
void pass_messages(job& here, way how) {
  cells all(here);
  const storing by = add_memory_handler<&store>(here, "litmus.store");
  control::barrier(here.world());
  const int owner = here.size() - 1;
  random_stream draw(static_cast<std::uint64_t>(how), static_cast<std::uint64_t>(here.rank()));
  if (here.rank() == 0) {
    for (word round = 1; round <= rounds; ++round) {
      write(here, how, by, all.at(owner, data), round);
      pause_at_random(here, draw);
      put(here, all.at(owner, flag), std::span(&round, 1)).wait();
    }
  }
  if (here.rank() == owner) {
    for (word round = 1; round <= rounds; ++round) {
      wait_until(here, all.mine(flag), comparison::greater_equal, round);
      ASSERT_GE(all.mine(data), round) << static_cast<int>(how);
    }
  } else if (here.rank() != 0) {
    for (word seen = 0; seen < rounds; pause_at_random(here, draw)) {
      const word now = get_value(here, all.at(owner, flag));
      ASSERT_GE(now, seen) << "a word went back";
      ASSERT_GE(get_value(here, all.at(owner, data)), now) << static_cast<int>(how);
      seen = now;
    }
  }
  all.end();
}

}  // namespace

/// Two threads and the stores of a direct put, without anything between them: as fast as a missing
/// fence needs.
TEST(litmus, what_is_stored_first_is_seen_first) {
#if defined(__x86_64__) || defined(__i386__)
  GTEST_SKIP() << "x86 keeps this order";
#else
  constexpr word turns = 200'000;
  struct alignas(128) cell {
    word value = 0;
  };
  std::array<cell, 2> at{};  // data, flag
  std::thread writer([&at] {
    for (word turn = 1; turn <= turns; ++turn) {
      for (cell& each : at) {
        detail::store_bytes(reinterpret_cast<std::byte*>(&each.value), &turn, sizeof turn);
      }
    }
  });
  word wrong = 0;
  for (word seen = 0; seen < turns;) {
    seen = std::atomic_ref(at[1].value).load(std::memory_order_acquire);
    if (std::atomic_ref(at[0].value).load(std::memory_order_relaxed) < seen) ++wrong;
  }
  writer.join();
  EXPECT_EQ(wrong, 0U);
#endif
}

/// A put, a fence, then a load: of two ranks that do that crosswise one sees the other's.
JOB_TEST(litmus, fences_are_between_puts_and_loads, .least_ranks = 2, .most_ranks = 4) {
  cells all(here);
  const word turns = all_direct(here.world()) ? 2000 : 40;
  const int rank = here.rank();
  int both_missed = 0;
  for (word turn = 1; turn <= turns; ++turn) {
    word seen = turn;
    if (rank < 2) {
      put(here, all.at(1 - rank, flag), std::span(&turn, 1), unacknowledged).wait();
      if (turn % 2 == 0) fence(here, 1 - rank);
      if (turn % 2 == 1) static_cast<void>(fence_all(here));
      seen = std::atomic_ref(const_cast<word&>(all.mine(flag))).load(std::memory_order_relaxed);
    }
    std::array<std::uint64_t, 1> most{rank < 2 ? seen : 0};
    control::all_reduce(here.world(), most, control::fold::most);
    if (most[0] < turn) ++both_missed;
  }
  EXPECT_EQ(both_missed, 0);
  all.end();
}

/// What is complete is seen before whatever its writer begins then: by the owner, who loads, and by
/// others, who get.
JOB_TEST(litmus, what_is_complete_comes_first, .least_ranks = 2, .most_ranks = 4) {
  for (int how = 0; how < static_cast<int>(way::count); ++how) {
    pass_messages(here, static_cast<way>(how));
  }
}

/// A put, a notice of it to a third rank, and what that one puts then.
JOB_TEST(litmus, what_is_complete_comes_first_for_those_who_are_told, .least_ranks = 3,
         .most_ranks = 5) {
  cells all(here);
  const int owner = here.size() - 1;
  for (word round = 1; round <= rounds; ++round) {
    const std::span<const word> now(&round, 1);
    if (here.rank() == 0) {
      put(here, all.at(owner, data), now).wait();
      put(here, all.at(1, flag), now).wait();
    } else if (here.rank() == 1) {
      wait_until(here, all.mine(flag), comparison::greater_equal, round);
      put(here, all.at(owner, other_flag), now).wait();
    }
    if (here.rank() == owner) {
      wait_until(here, all.mine(other_flag), comparison::greater_equal, round);
      ASSERT_GE(all.mine(data), round);
    }
  }
  all.end();
}

/// Each stores its word and loads the other's: at least one sees what the other stored.
JOB_TEST(litmus, complete_atomics_do_not_pass_each_other, .least_ranks = 2, .most_ranks = 4) {
  cells all(here);
  random_stream draw(5, static_cast<std::uint64_t>(here.rank()));
  for (const bool one_owner : {true, false}) {
    const int first = here.size() - 1;
    const int second = one_owner ? first : 0;
    const word base = one_owner ? 0 : rounds;
    for (word round = base + 1; round <= base + rounds; ++round) {
      std::array<std::uint64_t, 1> saw_it{0};
      if (here.rank() < 2) {
        const auto mine = here.rank() == 0 ? all.at(first, flag) : all.at(second, data);
        const auto theirs = here.rank() == 0 ? all.at(second, data) : all.at(first, flag);
        pause_at_random(here, draw);
        atomic_store(here, mine, round);
        saw_it[0] = atomic_load(here, theirs) >= round ? 1 : 0;
      }
      control::all_reduce(here.world(), saw_it, control::fold::sum);
      ASSERT_GE(saw_it[0], 1U) << "round " << round;
    }
    control::barrier(here.world());
  }
  all.end();
}

/// A rank sees what it wrote and waited for, by whatever it reads.
JOB_TEST(litmus, ranks_see_what_they_completed, .most_ranks = 4) {
  cells all(here);
  const storing by = add_memory_handler<&store>(here, "litmus.store");
  control::barrier(here.world());
  const auto me = static_cast<std::uint64_t>(here.rank());
  const int owner = (here.rank() + 1) % here.size();
  const auto place = all.at(owner, me);
  word value = 0;
  for (int turn = 0; turn < 3; ++turn) {
    for (const way how : {way::request, way::implicit_one, way::notices, way::unacknowledged_fence,
                          way::strided_runs, way::aggregated, way::atomically, way::by_call}) {
      write(here, how, by, place, ++value);
      ASSERT_EQ(get_value(here, place), value) << static_cast<int>(how);
      ASSERT_EQ(atomic_load(here, place), value) << static_cast<int>(how);
      ASSERT_EQ(fetch_add(here, place, 1), value) << static_cast<int>(how);
      ++value;
    }
  }
  all.end();
}

/// What is waited for, then posted alone; and what a signal brings.
JOB_TEST(litmus, posts_and_signals_come_behind_their_data, .least_ranks = 2, .most_ranks = 4) {
  cells all(here);
  semaphore_set told(here.world(), 2);
  const int owner = here.size() - 1;
  for (word round = 1; round <= rounds; ++round) {
    const std::span<const word> now(&round, 1);
    if (here.rank() == 0) {
      put(here, all.at(owner, data), now).wait();
      told.post(owner, 0).wait();
      told.put_and_post(all.at(owner, other_data), now, 1).wait();
    }
    if (here.rank() == owner) {
      told.wait(0);
      ASSERT_GE(all.mine(data), round);
      told.wait(1);
      ASSERT_GE(all.mine(other_data), round);
    }
  }
  told.release();
  all.end();
}
