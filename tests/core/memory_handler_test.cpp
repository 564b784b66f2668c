// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A layer above core that registers handlers of the memory lane: accumulate, fetches of listed
// elements, locks. Against an oracle, on every conduit.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/base/relax.hpp"
#include "upwash/core/memory_handler.hpp"

namespace {

using namespace upwash;

constexpr std::size_t elements = 700;

// y += scale * x
void accumulate(memory_call& call, double scale) {
  const std::size_t count = call.payload().size() / sizeof(double);
  const std::span<double> y = call.values<double>(0, count);
  for (std::size_t i = 0; i < count; ++i) {
    double x = 0;
    std::memcpy(&x, call.payload().data() + i * sizeof x, sizeof x);
    y[i] += scale * x;
  }
  call.charge(conduit::cost::reduce, call.payload().size());
}

constexpr std::size_t most_listed = 100;

/// Answers with the elements at the places that the payload lists.
void fetch_listed(memory_call& call) {
  std::array<double, most_listed> found{};
  std::array<std::uint32_t, most_listed> places{};
  const std::size_t count = call.payload().size() / sizeof(std::uint32_t);
  if (count != 0) std::memcpy(places.data(), call.payload().data(), call.payload().size());
  for (std::size_t i = 0; i < count; ++i) found[i] = call.values<double>(places[i], 1)[0];
  call.answer(std::as_bytes(std::span(found).first(count)));
}

void fetch_run(memory_call& call, std::uint64_t count) {
  call.answer(std::as_bytes(call.values<double>(0, count)));
}

/// What each rank does in the random test; every rank can play every rank.
struct deed {
  int owner = 0;
  std::size_t first = 0;
  double scale = 0;
  std::vector<double> x;
};
std::vector<deed> deeds_of(int rank, int ranks) {
  random_stream draw(4711, static_cast<std::uint64_t>(rank));
  std::vector<deed> all(60);
  for (deed& each : all) {
    each.owner = static_cast<int>(draw.below(static_cast<std::uint64_t>(ranks)));
    each.first = draw.below(elements - 64);
    each.scale = static_cast<double>(draw.below(7));
    each.x.resize(draw.below(60));
    for (double& value : each.x) value = static_cast<double>(draw.below(1000));
  }
  return all;
}

std::vector<double> oracle_of(int owner, int ranks) {
  std::vector<double> y(elements);
  for (int r = 0; r < ranks; ++r) {
    for (const deed& each : deeds_of(r, ranks)) {
      if (each.owner != owner) continue;
      for (std::size_t i = 0; i < each.x.size(); ++i) y[each.first + i] += each.scale * each.x[i];
    }
  }
  return y;
}

void accumulate_all(job& here, const region& area, std::span<const deed> deeds) {
  const auto acc = add_memory_handler<&accumulate>(here, "test.accumulate");
  control::barrier(here.world());
  std::vector<request> open;
  for (std::size_t i = 0; i < deeds.size(); ++i) {
    const deed& d = deeds[i];
    const call_buffers with{.payload = std::as_bytes(std::span(d.x))};
    const auto to = area.at<double>(d.owner, d.first);
    if (i % 3 == 0) {
      call_owner(here, implicit, acc, to, with, d.scale);
    } else {
      open.push_back(call_owner(here, acc, to, with, d.scale));
    }
    if (i % 17 == 0) here.progress();
  }
  wait_all(open);
  here.quiet();
  control::barrier(here.world());
}

/// Appends what it is given to the list that the region is; the first word counts.
void append(memory_call& call, std::uint64_t value) {
  const std::uint64_t at = call.values<std::uint64_t>(0, 1)[0]++;
  call.values<std::uint64_t>(1 + static_cast<std::int64_t>(at), 1)[0] = value;
}
void read_word(memory_call& call) { call.answer(std::as_bytes(call.values<std::uint64_t>(0, 1))); }

/// A lock that is granted in the order of the requests.
struct lock_home {
  bool taken = false;
  std::deque<pending_answer> waiting;
  int grants = 0;
};
void acquire(memory_call& call, lock_home& home) {
  const pending_answer asking = call.answer_later();
  if (home.taken) return home.waiting.push_back(asking);
  home.taken = true;
  ++home.grants;
  call.answer(asking, {});
}
void release(memory_call& call, lock_home& home) {
  home.taken = !home.waiting.empty();
  if (!home.taken) return;
  call.answer(home.waiting.front(), {});
  home.waiting.pop_front();
  ++home.grants;
}

/// Calls that wait for another one to answer them.
struct waiting_room {
  std::deque<pending_answer> asked;
};
void ask(memory_call& call, waiting_room& home) { home.asked.push_back(call.answer_later()); }
void answer_all(memory_call& call, waiting_room& home, std::uint64_t value) {
  for (const pending_answer& each : home.asked) {
    call.answer(each, std::as_bytes(std::span(&value, 1)));
  }
  home.asked.clear();
}

/// Answers with the word before the addressed one, and with that one.
void read_pair(memory_call& call) { call.answer(std::as_bytes(call.values<std::uint64_t>(0, 2))); }

void answer_much(memory_call& call) {
  static const std::vector<std::byte> much(10'000, std::byte{7});
  call.answer(much);
}

/// More answers than there is credit for, by the thread beside an owner that does not look.
void asks_a_rank_that_computes(job& here) {
  const auto ask = add_memory_handler<&answer_much>(here, "test.answer_much");
  region area = allocate(here.world(), 64);
  control::barrier(here.world());
  const std::uint64_t& over = area.mine_as<std::uint64_t>()[0];
  if (here.rank() == 1) {
    while (std::atomic_ref(const_cast<std::uint64_t&>(over)).load() == 0) relax();
  } else if (here.rank() == 0) {
    constexpr std::size_t many = 60;
    std::vector<std::vector<std::byte>> into(many, std::vector<std::byte>(10'000));
    std::vector<request> asked;
    for (auto& each : into) {
      asked.push_back(call_owner(here, ask, area.at<std::byte>(1, 0), {.answer = each}));
    }
    // The answers come while nobody takes them here: they find no credit there.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    wait_all(asked);
    for (const auto& each : into) EXPECT_EQ(each.back(), std::byte{7});
    atomic_store(here, area.at<std::uint64_t>(1, 0), std::uint64_t{1});
  }
  control::barrier(here.world());
  free(area);
}

}  // namespace

JOB_TEST(memory_handler, accumulates_from_all_ranks_add_up) {
  region area = allocate(here.world(), elements * sizeof(double));
  accumulate_all(here, area, deeds_of(here.rank(), here.size()));
  const std::vector<double> wanted = oracle_of(here.rank(), here.size());
  const auto mine = area.mine_as<double>();
  ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), mine.begin()));
  free(area);
}

JOB_TEST(memory_handler, fetches_answer_what_they_list, .most_ranks = 8) {
  region area = allocate(here.world(), elements * sizeof(double));
  for (std::size_t i = 0; i < elements; ++i) {
    area.mine_as<double>()[i] = here.rank() * 1e4 + static_cast<double>(i);
  }
  const auto fetch = add_memory_handler<&fetch_listed>(here, "test.fetch_listed");
  const auto run = add_memory_handler<&fetch_run>(here, "test.fetch_run");
  control::barrier(here.world());
  random_stream draw(99, static_cast<std::uint64_t>(here.rank()));
  for (int round = 0; round < 20; ++round) {
    const int owner = static_cast<int>(draw.below(static_cast<std::uint64_t>(here.size())));
    std::vector<std::uint32_t> places(draw.below(most_listed + 1));
    for (auto& place : places) place = static_cast<std::uint32_t>(draw.below(elements));
    std::vector<double> listed(places.size() + 3);
    std::vector<double> all(elements);
    std::size_t used = 12345;
    request first = call_owner(here, fetch, area.at<double>(owner),
                               {.payload = std::as_bytes(std::span(places)),
                                .answer = std::as_writable_bytes(std::span(listed)),
                                .answered = &used});
    request second = call_owner(here, run, area.at<double>(owner),
                                {.answer = std::as_writable_bytes(std::span(all))}, elements);
    second.wait();
    first.wait();
    ASSERT_EQ(used, places.size() * sizeof(double));
    for (std::size_t i = 0; i < places.size(); ++i) ASSERT_EQ(listed[i], owner * 1e4 + places[i]);
    for (std::size_t i = 0; i < elements; ++i) {
      ASSERT_EQ(all[i], owner * 1e4 + static_cast<double>(i));
    }
  }
  control::barrier(here.world());
  free(area);
}

JOB_TEST(memory_handler, calls_keep_their_order_and_see_the_puts_before_them, .most_ranks = 5,
         .ordered_writes = false) {
  constexpr std::uint64_t calls = 200;
  region area = allocate(here.world(), (2 + calls) * 8);
  region words = allocate(here.world(), static_cast<std::size_t>(here.size()) * 8);
  const auto add = add_memory_handler<&append>(here, "test.append");
  const auto read = add_memory_handler<&read_word>(here, "test.read");
  control::barrier(here.world());
  const int owner = (here.rank() + 1) % here.size();
  for (std::uint64_t i = 0; i < calls; ++i) {
    call_owner(here, implicit, add, area.at<std::uint64_t>(owner), {}, i);
  }
  std::array<std::uint64_t, 50> values{};
  std::array<std::uint64_t, 50> seen{};
  std::vector<request> open;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i + 1;
    const auto word = words.at<std::uint64_t>(owner, static_cast<std::uint64_t>(here.rank()));
    put(here, word, std::span(values).subspan(i, 1), implicit);
    open.push_back(call_owner(here, read, word,
                              {.answer = std::as_writable_bytes(std::span(seen).subspan(i, 1))}));
    if (i % 2 == 0) open.back().wait();
  }
  wait_all(open);
  // Those before it at least: puts that were begun after a call may overtake it.
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_GE(seen[i], values[i]);
    if (i % 2 == 0) {
      EXPECT_EQ(seen[i], values[i]);
    }
  }
  here.quiet();
  control::barrier(here.world());
  const auto mine = area.mine_as<std::uint64_t>();
  ASSERT_EQ(mine[0], calls);
  for (std::uint64_t i = 0; i < calls; ++i) ASSERT_EQ(mine[1 + i], i);
  free(words);
  free(area);
}

JOB_TEST(memory_handler, answers_may_come_later, .most_ranks = 8) {
  constexpr std::uint64_t rounds = 15;
  lock_home home;
  region area = allocate(here.world(), 8);
  const auto take = add_memory_handler<&acquire>(here, "test.acquire", home);
  const auto give = add_memory_handler<&release>(here, "test.release", home);
  control::barrier(here.world());
  const auto word = area.at<std::uint64_t>(0);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    call_owner(here, take, word, {}).wait();
    put_value(here, word, get_value(here, word) + 1);
    call_owner(here, give, word, {}).wait();
  }
  control::barrier(here.world());
  if (here.rank() == 0) {
    const memory_hold held(here);
    EXPECT_EQ(area.mine_as<std::uint64_t>()[0], rounds * static_cast<std::uint64_t>(here.size()));
    EXPECT_EQ(home.grants, static_cast<int>(rounds) * here.size());
    EXPECT_FALSE(home.taken);
  }
  control::barrier(here.world());
  free(area);
}

/// However many wait, and however large their rooms are: the call that answers them gets there, and
/// gets and calls with other rooms do.
JOB_TEST(memory_handler, calls_that_wait_hold_nobody_back, .most_ranks = 4) {
  waiting_room home;
  region area = allocate(here.world(), 64);
  const auto wait_for_it = add_memory_handler<&ask>(here, "test.ask", home);
  const auto tell = add_memory_handler<&answer_all>(here, "test.answer_all", home);
  control::barrier(here.world());
  const auto play = [&](std::size_t calls, std::size_t room, int owner) {
    std::vector<std::vector<std::byte>> rooms(calls, std::vector<std::byte>(room));
    std::vector<request> open;
    for (auto& each : rooms) {
      open.push_back(call_owner(here, wait_for_it, area.at(owner), {.answer = each}));
    }
    std::array<std::byte, 64> copy{};
    get(here, area.at(owner), std::span(copy)).wait();
    std::array<std::byte, 8> unused{};
    call_owner(here, tell, area.at(owner), {.answer = unused}, 7).wait();
    wait_all(open);
    for (const auto& each : rooms) EXPECT_EQ(each[0], std::byte{7});
  };
  for (int turn = 0; turn < here.size(); ++turn) {
    if (turn == here.rank()) {
      for (const int owner : {0, here.size() - 1}) {
        play(1, std::size_t{10} << 20U, owner);
        play(200, 8, owner);
        play(20, 100'000, owner);
      }
    }
    control::barrier(here.world());
  }
  free(area);
}

JOB_TEST(memory_handler, one_that_nobody_is_told_of_and_that_is_refused_leaves_nothing,
         .most_ranks = 4) {
  region area = allocate(here.world(), 64);
  const auto read = add_memory_handler<&read_word>(here, "test.read");
  control::barrier(here.world());
  const int owner = here.size() - 1 - here.rank();
  EXPECT_THROW(call_owner(here, notices{}, read, area.at(owner, 65), {}), error);
  control::barrier(here.world());
  free(area);  // waits for all that is under way on it
}

JOB_TEST(memory_handler, calls_see_the_signals_before_them, .most_ranks = 5) {
  const auto me = static_cast<std::uint64_t>(here.rank());
  region area = allocate(here.world(), static_cast<std::size_t>(here.size()) * 16);
  const auto read = add_memory_handler<&read_pair>(here, "test.read_pair");
  control::barrier(here.world());
  const int owner = (here.rank() + 1) % here.size();
  for (std::uint64_t i = 1; i <= 40; ++i) {
    std::array<std::uint64_t, 2> seen{};
    request sent = put_signal(here, area.at<std::uint64_t>(owner, 2 * me), std::span(&i, 1),
                              {area.at<std::uint64_t>(owner, 2 * me + 1), 1});
    if (i % 3 == 0) here.progress();
    call_owner(here, read, area.at<std::uint64_t>(owner, 2 * me),
               {.answer = std::as_writable_bytes(std::span(seen))})
        .wait();
    EXPECT_EQ(seen[0], i);
    EXPECT_EQ(seen[1], i);
    sent.wait();
  }
  control::barrier(here.world());
  free(area);
}

JOB_TEST(memory_handler, the_owner_may_answer_outside_handlers, .most_ranks = 4) {
  lock_home home;
  home.taken = true;  // until the owner itself lets it go
  region area = allocate(here.world(), 8);
  const auto take = add_memory_handler<&acquire>(here, "test.acquire", home);
  control::barrier(here.world());
  const int owner = (here.rank() + 1) % here.size();
  request asked = call_owner(here, take, area.at<std::uint64_t>(owner), {});
  const auto waits = [&] {
    const memory_hold held(here);
    return !home.waiting.empty();
  };
  while (!waits()) here.progress();
  EXPECT_FALSE(asked.done() && here.size() == 1);
  give_answer(here, home.waiting.front(), {});
  asked.wait();
  control::barrier(here.world());
  free(area);
}

JOB_TEST(memory_handler, stages_are_told_where_asked, .most_ranks = 5) {
  region area = allocate(here.world(), 8 * 8);
  const auto acc = add_memory_handler<&accumulate>(here, "test.accumulate");
  control::barrier(here.world());
  std::array<double, 8> x{};
  x.fill(2);
  request local;
  completion_counter remote;
  const int owner = here.size() - 1 - here.rank();
  call_owner(here, {.local = notice::to(local), .remote = notice::to(remote)}, acc,
             area.at<double>(owner), {.payload = std::as_bytes(std::span(x))}, 1.5);
  local.wait();
  x.fill(0);
  remote.wait(here);
  control::barrier(here.world());
  for (const double each : area.mine_as<double>()) EXPECT_EQ(each, 3);
  control::barrier(here.world());
  free(area);
}

/// Rank 0 computes and calls nothing: its progress thread runs the handler.
JOB_TEST(memory_handler, runs_on_the_progress_thread, .least_ranks = 2, .most_ranks = 2,
         .on_sim = false, .on_direct = false, .on_loopback = false, .shares_process = false,
         .environment = {"UPWASH_PROGRESS_THREAD=yes"}) {
  region area = allocate(here.world(), 16);
  const auto acc = add_memory_handler<&accumulate>(here, "test.accumulate");
  control::barrier(here.world());
  const double x = 5;
  if (here.rank() == 1) {
    call_owner(here, acc, area.at<double>(0), {.payload = std::as_bytes(std::span(&x, 1))}, 2.0)
        .wait();
  } else {
    auto& word = area.mine_as<double>()[0];
    while (std::atomic_ref(word).load() != 10) std::this_thread::yield();
  }
  control::barrier(here.world());
  free(area);
}

JOB_TEST(memory_handler, answers_leave_without_the_owner_polling, .least_ranks = 2, .most_ranks = 3,
         .on_sim = false, .on_packets = false, .on_direct = false, .on_loopback = false,
         .on_composite = false, .shares_process = false,
         .environment = {"UPWASH_PROGRESS_THREAD=yes"}) {
  asks_a_rank_that_computes(here);
}

JOB_TEST(memory_handler, answers_leave_without_the_owner_polling_by_a_thread_that_sleeps,
         .least_ranks = 2, .most_ranks = 3, .on_sim = false, .on_packets = false,
         .on_direct = false, .on_loopback = false, .on_composite = false, .shares_process = false,
         .environment = {"UPWASH_PROGRESS_THREAD=yes", "UPWASH_PROGRESS_WAIT=sleep"}) {
  asks_a_rank_that_computes(here);
}
