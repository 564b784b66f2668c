// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Methods that wait: for answers of other objects, for messages, memory and collectives, many at
// once, against what a sequential program says of them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/objects/aggregated.hpp"
#include "upwash/objects/object_array.hpp"

namespace {

using namespace upwash;

constexpr int objects_of_a_run = 17;

/// What a question asks further, whatever came before.
struct deed {
  std::uint64_t value = 0;
  std::vector<std::pair<int, std::uint64_t>> asks;  ///< object, seed
  int moves_to = -1;

  static deed of(std::uint64_t seed, int depth, int members) {
    random_stream from(seed, 12);
    deed does;
    does.value = from.next();
    if (depth > 0) {
      for (std::uint64_t n = from.below(4); n > 0; --n) {
        does.asks.emplace_back(static_cast<int>(from.below(objects_of_a_run)), from.next());
      }
    }
    if (from.below(2) == 0) {
      does.moves_to = static_cast<int>(from.below(static_cast<std::uint64_t>(members)));
    }
    return does;
  }
};

std::uint64_t answer_to(std::uint64_t seed, int depth, int members) {
  const deed does = deed::of(seed, depth, members);
  std::uint64_t sum = does.value;
  for (const auto& [to, next] : does.asks) sum += 3 * answer_to(next, depth - 1, members);
  return sum;
}

struct thinker : object<int> {
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(answers, questions, last, misses, most_at_once, open);
  }

  /// Asks others, waits for what they say, tells whoever asked, and may move.
  void ask(int asker, std::uint64_t question, std::uint64_t seed, int depth, int members) {
    const int at = member();
    const deed does = deed::of(seed, depth, members);
    const std::uint64_t first = questions;
    questions += does.asks.size();
    answers.resize(questions);
    for (std::size_t i = 0; i < does.asks.size(); ++i) {
      const auto& [to, next] = does.asks[i];
      object_view<thinker>(*this)[to].send<&thinker::ask>(index(), first + i, next, depth - 1,
                                                          members);
    }
    if (does.moves_to >= 0) migrate_to(does.moves_to);
    std::uint64_t sum = does.value;
    for (std::size_t i = 0; i < does.asks.size(); ++i) {
      wait_until([&] { return answers[first + i] != 0; });
      sum += 3 * answers[first + i];
    }
    if (member() != at) ++misses;  // nobody moves before its methods are over
    object_view<thinker>(*this)[asker].send<&thinker::hear>(question, sum);
  }
  void hear(std::uint64_t question, std::uint64_t said) { answers[question] = said; }
  void begin(std::uint64_t seed, int depth, int members) {
    const std::uint64_t first = questions++;
    answers.resize(questions);
    object_view<thinker>(*this)[index()].send<&thinker::ask>(index(), first, seed, depth, members);
    wait_until([&] { return answers[first] != 0; });
    last += answers[first];
  }

  /// The number-th call of one caller.
  void take(std::uint64_t number) {
    if (number != last + 1) ++misses;
    last = number;
    most_at_once = std::max(most_at_once, ++open);
    wait_until([&] { return last >= 5; });
    --open;
  }

  using methods_that_wait = upwash::methods<&thinker::ask, &thinker::begin, &thinker::take>;

  std::vector<std::uint64_t> answers;  ///< 0: not yet
  std::uint64_t questions = 0;
  std::uint64_t last = 0;
  std::uint64_t misses = 0;
  int open = 0;
  int most_at_once = 0;
};

std::vector<int> all_indices() {
  std::vector<int> all(objects_of_a_run);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

JOB_TEST(waiting_methods, wait_for_answers_of_objects_that_migrate) {
  const team& world = here.world();
  for (const bool ordered : {false, true}) {
    object_array<thinker> thinkers(world, {.name = "thinkers", .ordered = ordered});
    thinkers.fill(all_indices());
    std::uint64_t expected = 0;
    for (int of = 0; of < here.size(); ++of) {
      for (int n = 0; n < 3; ++n) {
        const std::uint64_t seed = random_bits(static_cast<std::uint64_t>(of), 5, n + 1U);
        expected += answer_to(seed, 3, here.size());
        if (of != here.rank()) continue;
        thinkers[(of + 5 * n) % objects_of_a_run].send<&thinker::begin>(seed, 3, here.size());
      }
    }
    thinkers.quiet();
    std::uint64_t heard = 0;
    thinkers.for_each_here([&](thinker& one) {
      heard += one.last;
      EXPECT_EQ(one.misses, 0U);
    });
    EXPECT_EQ(all_reduce<sum>(world, blocking, heard), expected);
    EXPECT_EQ(all_reduce<sum>(world, blocking, thinkers.size_here()), all_indices().size());
  }
}

JOB_TEST(waiting_methods, of_ordered_arrays_begin_in_order_and_wait_together) {
  object_array<thinker> thinkers(here.world(), {.ordered = true});
  thinkers.fill(std::array<int, 1>{3});
  if (here.rank() == 0) {
    for (std::uint64_t number = 1; number <= 5; ++number) thinkers[3].send<&thinker::take>(number);
  }
  thinkers.quiet();
  thinkers.for_each_here([](thinker& one) {
    EXPECT_EQ(one.misses, 0U);
    EXPECT_EQ(one.last, 5U);
    EXPECT_EQ(one.open, 0);
    EXPECT_EQ(one.most_at_once, 5);
  });
}

namespace {

/// What a rank lets its objects use.
struct means {
  std::vector<team> teams;
  global_ptr<std::uint64_t> counter = {};
  std::vector<global_ptr<std::uint64_t>> cells = {};  ///< of the members
  std::uint64_t done = 0;
};

constexpr int objects_a_rank = 3;
constexpr int rounds = 4;

int rank_of(const int& index, int /*members*/) { return index / objects_a_rank; }

/// Stays at its rank, since it uses what that has.
struct worker : object<int> {
  using object::object;
  template <class A>
  void serialize(A& archive) {
    archive(total);
  }
  static means& use(std::uintptr_t with) { return *reinterpret_cast<means*>(with); }

  /// Round by round to the next object, from the one before.
  void go_round(std::uintptr_t with, int objects) {
    const team& among = use(with).teams[0];
    const int next = (index() + 1) % objects;
    const int before = (index() + objects - 1) % objects;
    auto token = static_cast<std::uint64_t>(index());
    for (int r = 0; r < rounds; ++r) {
      std::uint64_t came = 0;
      auto receiving = receive(among, rank_of(before, 0), index(), std::span(&came, 1));
      send(among, blocking, rank_of(next, 0), next, std::span<const std::uint64_t>(&token, 1));
      receiving.wait();
      token = came;
    }
    total += token;
    ++use(with).done;
  }
  void use_memory(std::uintptr_t with) {
    for (int r = 0; r < rounds; ++r) {
      const std::uint64_t taken = fetch_add(here(), use(with).counter, 1);
      const std::uint64_t value = 1000U * static_cast<std::uint64_t>(index()) + taken;
      const auto& cell =
          use(with).cells[static_cast<std::size_t>(index() + r) % use(with).cells.size()];
      auto there = cell + index();
      put(here(), there, std::span(&value, 1)).wait();
      total += get_value(here(), there) == value ? 1 : 100;
    }
    ++use(with).done;
  }
  void add_up(std::uintptr_t with, int which) {
    const team& among = use(with).teams[static_cast<std::size_t>(which)];
    for (int r = 0; r < rounds; ++r) {
      const auto mine = static_cast<std::uint64_t>(index() + r);
      total += all_reduce<sum>(among, blocking, mine);
      std::array<std::uint64_t, 600> many;
      many.fill(mine);
      request begun = all_reduce<sum>(among, in_place, std::span<std::uint64_t>(many));
      while (r % 2 == 0 && !begun.test()) {
      }
      begun.wait();
      total += many[599];
      control::barrier(among);
    }
    ++use(with).done;
  }
  void count_neighbours() {
    object_view<worker>(*this).broadcast<&worker::nothing>();
    here().progress();
    ++total;
  }
  void nothing() {}

  using methods_that_wait = upwash::methods<&worker::go_round, &worker::use_memory, &worker::add_up,
                                            &worker::count_neighbours>;
  std::uint64_t total = 0;
};

using crew = object_array<worker>;

std::vector<int> workers_of(const job& here) {
  std::vector<int> all(static_cast<std::size_t>(here.size() * objects_a_rank));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

template <auto Method, class... Args>
void call_own(crew& workers, const job& here, int begin, int end, const Args&... args) {
  for (int i = begin; i < end; ++i) {
    workers[objects_a_rank * here.rank() + i].send<Method>(args...);
  }
}

}  // namespace

JOB_TEST(waiting_methods, receive_messages_while_the_rank_does) {
  crew workers(here.world(), {}, &rank_of);
  workers.fill(workers_of(here));
  means with{.teams = {here.world().duplicate()}};
  const int objects = here.size() * objects_a_rank;
  call_own<&worker::go_round>(workers, here, 0, objects_a_rank,
                              reinterpret_cast<std::uintptr_t>(&with), objects);
  // The main flow waits for messages of the same peers meanwhile.
  const int next = (here.rank() + 1) % here.size();
  const int before = (here.rank() + here.size() - 1) % here.size();
  for (int r = 0; r < rounds; ++r) {
    int came = -1;
    auto receiving = receive(here.world(), before, r, std::span(&came, 1));
    send(here.world(), blocking, next, r, std::span<const int>(&r, 1));
    receiving.wait();
    EXPECT_EQ(came, r);
  }
  workers.quiet();
  EXPECT_EQ(with.done, 3U);
  workers.for_each_here([&](worker& one) {
    EXPECT_EQ(one.total,
              static_cast<std::uint64_t>((one.index() + objects - rounds % objects) % objects));
  });
}

JOB_TEST(waiting_methods, wait_for_memory_of_others) {
  crew workers(here.world(), {}, &rank_of);
  workers.fill(workers_of(here));
  const auto objects = static_cast<std::size_t>(here.size() * objects_a_rank);
  region memory = allocate(here.world(), (objects + 1) * sizeof(std::uint64_t));
  std::uint64_t* const mine = memory.mine_as<std::uint64_t>().data();
  std::fill(mine, mine + objects + 1, 0U);
  control::barrier(here.world());
  means with{.teams = {},
             .counter = memory.at<std::uint64_t>(0) + static_cast<std::ptrdiff_t>(objects)};
  for (int r = 0; r < here.size(); ++r) with.cells.push_back(memory.at<std::uint64_t>(r));
  call_own<&worker::use_memory>(workers, here, 0, objects_a_rank,
                                reinterpret_cast<std::uintptr_t>(&with));
  workers.quiet();
  EXPECT_EQ(with.done, 3U);
  workers.for_each_here([&](worker& one) { EXPECT_EQ(one.total, rounds * 1U); });
  EXPECT_EQ(mine[objects], here.rank() == 0 ? objects * rounds : 0U);
  control::barrier(here.world());
  free(memory);
}

JOB_TEST(waiting_methods, take_part_in_collectives_of_their_own_teams) {
  crew workers(here.world(), {}, &rank_of);
  workers.fill(workers_of(here));
  means with{.teams = {here.world().duplicate(), here.world().duplicate()}};
  const auto address = reinterpret_cast<std::uintptr_t>(&with);
  call_own<&worker::add_up>(workers, here, 0, 1, address, 0);
  call_own<&worker::add_up>(workers, here, 1, 2, address, 1);
  // So does the main flow, on the world.
  std::uint64_t sum_of_all = 0;
  for (int r = 0; r < rounds; ++r) sum_of_all += all_reduce<sum>(here.world(), blocking, 1U);
  EXPECT_EQ(sum_of_all, static_cast<std::uint64_t>(rounds * here.size()));
  workers.quiet();
  EXPECT_EQ(with.done, 2U);
  workers.for_each_here([&](worker& one) {
    const int which = one.index() % objects_a_rank;
    std::uint64_t expected = 0;
    for (int r = 0; r < rounds && which < 2; ++r) {
      for (int m = 0; m < here.size(); ++m) {
        expected += 2U * static_cast<std::uint64_t>(m * objects_a_rank + which + r);
      }
    }
    EXPECT_EQ(one.total, expected);
  });
}

JOB_TEST(waiting_methods, may_be_broadcast_and_give_way) {
  crew workers(here.world(), {}, &rank_of);
  workers.fill(workers_of(here));
  if (here.rank() == 0) workers.broadcast<&worker::count_neighbours>();
  workers.quiet();
  workers.for_each_here([](worker& one) { EXPECT_EQ(one.total, 1U); });
}

namespace {

/// Waits for what comes by aggregated calls, and makes such calls itself.
struct gate : object<int> {
  using object::object;
  template <class A>
  void serialize(A& archive) {
    archive(opened, passed);
  }
  void open(int by) { opened += by; }
  void pass(int gates) {
    auto& through = aggregated<&gate::open>::of(*this);
    for (int turn = 0; turn < 50; ++turn) {
      for (int to = 0; to < gates; ++to) through[to].send(1);
      if (turn % 8 == 0) here().progress();
    }
    wait_until([&] { return opened == 50 * gates; });
    passed = 1;
  }
  using methods_that_wait = upwash::methods<&gate::pass>;
  int opened = 0;
  int passed = 0;
};

}  // namespace

JOB_TEST(waiting_methods, wait_for_aggregated_calls_and_make_them) {
  object_array<gate> gates(here.world());
  gates.fill(all_indices());
  {
    aggregated<&gate::open> openings(gates);
    if (here.rank() == 0) gates.broadcast<&gate::pass>(objects_of_a_run);
    gates.quiet();
  }
  gates.for_each_here([](gate& one) {
    EXPECT_EQ(one.passed, 1);
    EXPECT_EQ(one.opened, 50 * objects_of_a_run);
  });
}
