// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Objects that come and go while others call them, what runs first, and what is refused.
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/random.hpp"
#include "upwash/objects/object_array.hpp"

namespace {

using namespace upwash;
using place = std::array<std::int32_t, 2>;

/// Counts what it is sent; goes when it has had so much.
struct counter : object<place> {
  using object::object;
  counter(const site& at, std::uint64_t of) : object(at), wanted(of) {}

  template <class A>
  void serialize(A& archive) {
    archive(wanted, had, order);
  }

  void take(std::uint64_t what, int goes_to) {
    had += what;
    if (wanted != 0 && had == wanted) return remove();
    migrate_to(goes_to);
  }
  void note(int number) { order.push_back(number); }
  void fail() { throw std::runtime_error("out of luck"); }
  void leave_for(int where) { migrate_to(where); }
  void end() { remove(); }
  void throw_a_number() { throw 42; }
  void wait_for_all() { control::barrier(here().world()); }

  std::uint64_t wanted = 0;
  std::uint64_t had = 0;
  std::vector<int> order;
};

/// Can be made with a number, and not without.
struct homebody : object<int> {
  explicit homebody(const site& at) : object(at) { throw std::runtime_error("stays at home"); }
  homebody(const site& at, int of) : object(at) {
    if (of < 0) throw std::runtime_error("is not born");
  }
  template <class A>
  void serialize(A& /*archive*/) {}
  void leave() { migrate_to((member() + 1) % here().size()); }
};

using bank = object_array<counter>;

std::uint64_t sum_here(bank& all) {
  std::uint64_t had = 0;
  all.for_each_here([&](counter& one) { had += one.had; });
  return had;
}

}  // namespace

JOB_TEST(object_life, calls_wait_for_objects_that_others_insert) {
  const team& world = here.world();
  bank all(world);
  random_stream from(4, static_cast<std::uint64_t>(here.rank()));
  const int members = here.size();
  for (int i = 0; i < 3; ++i) {
    for (int of = 0; of < members; ++of) {
      const int to = static_cast<int>(from.below(static_cast<std::uint64_t>(members)));
      all[place{of, i}].send<&counter::take>(1U, to);
    }
    all.insert(place{here.rank(), i});
  }
  all.quiet();
  const auto had = all_reduce<sum>(world, blocking, sum_here(all));
  EXPECT_EQ(had, 3U * static_cast<std::uint64_t>(members * members));
  EXPECT_EQ(all_reduce<sum>(world, blocking, all.size_here()),
            3U * static_cast<std::size_t>(members));
}

JOB_TEST(object_life, objects_that_go_are_counted_and_may_come_again) {
  const team& world = here.world();
  bank all(world, {.name = "counters"});
  const int members = here.size();
  const place own{here.rank(), 7};
  for (int turn = 0; turn < 3; ++turn) {
    all.insert(own, static_cast<std::uint64_t>(members));
    all.quiet();
    for (int of = 0; of < members; ++of) {
      all[place{of, 7}].send<&counter::take>(1U, (here.rank() + turn + of) % members);
    }
    all.quiet();
    EXPECT_EQ(all.size_here(), 0U) << "each had one call of each member, and went";
    control::barrier(world);  // nobody inserts before all have looked
  }
}

JOB_TEST(object_life, urgent_calls_run_first) {
  bank all(here.world());
  all.fill(std::array<place, 1>{{{0, 0}}});
  if (all.size_here() == 1) {
    for (int number = 0; number < 4; ++number) {
      all[place{0, 0}].send_first<&counter::note>(10 - number, number);
      all[place{0, 0}].send<&counter::note>(10 + number);
    }
  }
  all.quiet();
  all.for_each_here([](counter& one) {
    EXPECT_EQ(one.order, (std::vector{10, 11, 12, 13, 3, 2, 1, 0}));
  });
}

namespace {

/// What a job of three ranks says in which `act` is done by rank 1, on an array with object [2,3].
std::string said_by(function_ref<void(bank&)> act) {
  const auto world = test::sim_of(3);
  return test::message_of(*world, [&](job& here) {
    bank all(here.world(), {.name = "counters"});
    all.fill(std::array<place, 1>{{{2, 3}}});
    if (here.rank() == 1) act(all);
    all.quiet();
    if (here.rank() == 1) all[place{2, 3}].send<&counter::take>(1U, 0);
    all.quiet();
  });
}

void expect_said(function_ref<void(bank&)> act, std::string_view what) {
  const std::string said = said_by(act);
  EXPECT_NE(said.find(what), std::string::npos) << said;
}

}  // namespace

TEST(object_errors, name_the_object_the_rank_and_the_reason) {
  EXPECT_EQ(said_by([](bank&) {}), "no error");
  expect_said(
      [](bank& all) {
        all.insert(place{2, 3});
      },
      "object [2,3] of counters: is inserted, but is there already");
  expect_said(
      [](bank& all) {
        all[place{2, 3}].send<&counter::end>();
      },
      "object [2,3] of counters: is called by member 1, but has been removed");
  expect_said(
      [](bank& all) {
        all[place{2, 3}].send<&counter::leave_for>(3);
      },
      "object [2,3] of counters: migrates to member 3 of a team of 3");
  expect_said(
      [](bank& all) {
        all[place{2, 3}].send<&counter::fail>();
      },
      "object [2,3] of counters: a method threw: out of luck");
  expect_said(
      [](bank& all) {
        all[place{2, 3}].send<&counter::throw_a_number>();
      },
      "object [2,3] of counters: a method threw what is no std::exception");
  expect_said([](bank& all) { all[place{2, 3}].send<&counter::wait_for_all>(); }, "handler");
  expect_said(
      [](bank& all) {
        all[place{2, 3}].send_first<&counter::end>(40'000);
      },
      "object [2,3] of counters: is called with priority 40000, which is not in");
}

TEST(object_errors, name_a_home_that_is_no_member) {
  const auto world = test::sim_of(3);
  const std::string said = test::message_of(*world, [&](job& here) {
    bank all(here.world(), {.name = "counters"}, [](const place&, int members) { return members; });
    all[place{1, 2}].send<&counter::end>();
    all.quiet();
  });
  EXPECT_NE(said.find("object [1,2] of counters: the array's map makes its home member 3 of a team "
                      "of 3"),
            std::string::npos)
      << said;
}

TEST(object_errors, name_what_cannot_be_made) {
  for (const int number : {1, -1}) {
    const auto world = test::sim_of(3);
    const std::string said = test::message_of(*world, [&](job& here) {
      object_array<homebody> all(here.world(), {.name = "homes"},
                                 [](const int&, int) { return 1; });
      if (here.rank() == 0) all.insert(7, number);
      all.quiet();
      if (here.rank() == 0) all[7].send<&homebody::leave>();
      all.quiet();
    });
    const std::string wanted = number > 0
                                   ? "rank 2, object [7] of homes: cannot arrive: stays at home"
                                   : "rank 1, object [7] of homes: cannot begin: is not born";
    EXPECT_NE(said.find(wanted), std::string::npos) << said;
  }
}

TEST(object_errors, name_what_was_removed_away_from_its_home) {
  for (int away = 0; away < 3; ++away) {
    const auto world = test::sim_of(3);
    const std::string said = test::message_of(*world, [&](job& here) {
      bank all(here.world(), {.name = "counters", .ordered = true});
      all.fill(std::array<place, 1>{{{2, 3}}});
      if (here.rank() == 1) {
        all[place{2, 3}].send<&counter::leave_for>(away);
        all[place{2, 3}].send<&counter::end>();
        all[place{2, 3}].send<&counter::note>(1);
      }
      all.quiet();
    });
    EXPECT_NE(said.find("object [2,3] of counters: is"), std::string::npos) << away << ": " << said;
    EXPECT_NE(said.find("removed"), std::string::npos) << away << ": " << said;
  }
}

JOB_TEST(object_life, calls_that_cannot_go_leave_nothing_under_way) {
  bank all(here.world(), {.name = "counters"}, [](const place& of, int) { return of[0]; });
  const place nowhere{here.size(), 0};
  const place somewhere{0, 0};
  EXPECT_THROW(all[nowhere].send<&counter::end>(), error);
  EXPECT_THROW(all[somewhere].send_first<&counter::end>(-40'000), error);
  all.quiet();
}

JOB_TEST(object_life, objects_leave_and_end_in_methods_only) {
  bank all(here.world(), {.name = "counters"});
  all.fill(std::array<place, 1>{{{1, 1}}});
  all.for_each_here([](counter& one) {
    EXPECT_THROW(one.migrate_to(0), error);
    EXPECT_THROW(one.end(), error);
  });
  all.quiet();
}

JOB_TEST(object_life, whoever_looks_at_objects_may_call_them) {
  const team& world = here.world();
  bank all(world);
  std::vector<place> places;
  for (int i = 0; i < 20; ++i) places.push_back({i, i});
  all.fill(places);
  const int members = here.size();
  std::uint64_t looks = 0;
  for (int turn = 0; turn < 3; ++turn) {
    all.for_each_here([&](counter& one) {
      ++looks;
      for (int i = 0; i < 20; ++i) {
        all[places[static_cast<std::size_t>(i)]].send<&counter::take>(1U, (i + turn) % members);
      }
      ++one.had;
    });
  }
  all.quiet();
  const auto had = all_reduce<sum>(world, blocking, sum_here(all));
  const auto looks_of_all = all_reduce<sum>(world, blocking, looks);
  EXPECT_GT(looks_of_all, 0U);
  EXPECT_EQ(had, 21U * looks_of_all);
  EXPECT_EQ(all_reduce<sum>(world, blocking, all.size_here()), 20U);
}

TEST(object_errors, name_what_is_inserted_again_into_an_ordered_array) {
  const auto world = test::sim_of(3);
  const std::string said = test::message_of(*world, [&](job& here) {
    bank all(here.world(), {.name = "counters", .ordered = true});
    for (int turn = 0; turn < 2; ++turn) {
      if (here.rank() == 0) all.insert(place{4, 4});
      if (here.rank() == 0) all[place{4, 4}].send<&counter::end>();
      all.quiet();
    }
  });
  EXPECT_NE(said.find("object [4,4] of counters: is inserted again: in an ordered array"),
            std::string::npos)
      << said;
}

JOB_TEST(object_life, reports_name_calls_of_objects_that_nobody_has_inserted) {
  bank all(here.world(), {.name = "counters"});
  const int home = bank::by_hash(place{5, 5}, here.size());
  if (here.rank() == 0) all[place{5, 5}].send<&counter::end>();
  if (here.rank() == home) {
    auto& service = here.service<objects::object_service>();
    while (service.describe_pending().empty()) here.progress();
    EXPECT_EQ(service.describe_pending(),
              "1 call of object [5,5] of counters, which nobody has inserted");
    all.insert(place{5, 5});
  }
  all.quiet();
  EXPECT_EQ(all.size_here(), 0U);
}
