// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Objects that end while sections and strategies count on them, and arrays that call each other.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/objects/object_array.hpp"
#include "upwash/objects/strategies.hpp"

namespace {

using namespace upwash;

struct guest;
using party = object_section<guest>;

struct guest : object<int> {
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(had, sums);
  }
  void greet(strategy_id by, int of, bool ends) {
    const auto others = object_view<guest>(*this).with(by);
    others.begin();
    for (int to = 0; to < of; ++to) others[to].send<&guest::take>(1);
    others.end();
    if (ends) remove();
  }
  void take(int more) { had += more; }
  void give(party to) { contribute<sum>(to, 1, all_of<&guest::know>(to)); }
  void know(int all) { sums.push_back(all); }
  void leave_for(int member) { migrate_to(member); }
  void end() { remove(); }
  void begin_and_end(strategy_id by) {
    object_view<guest>(*this).with(by).begin();
    remove();
  }
  void play(array_id<guest> other, int left) {
    ++had;
    if (left == 0) return;
    const object_view<guest> all(here(), other);
    const array_id<guest> own = mine;
    all[(index() + 1) % 3].send<&guest::play_back>(own, left - 1);
  }
  void play_back(array_id<guest> other, int left) { play(other, left); }
  void meet(array_id<guest> own) { mine = own; }

  int had = 0;
  std::vector<int> sums;
  array_id<guest> mine;
};

}  // namespace

JOB_TEST(object_ends, members_without_objects_go_on_with_brackets) {
  const team& world = here.world();
  const int objects = here.size() + 2;
  object_array<guest> all(world, {.name = "guests"}, round_robin<int>({100}));
  all.fill(all_indices<int>({static_cast<std::uint64_t>(objects)}));
  for (const char* algorithm : {"mesh2d", "direct", "sparse"}) {
    const strategy_id by = all.bind(each_to_many(algorithm));
    // Object 0 stays; those above end in the first round, or the second.
    for (int round = 0; round < 3; ++round) {
      if (here.rank() == 0) all[0].send<&guest::greet>(by, 1, false);
      for (int i = 1; i < objects && here.rank() == 0 && by.number % 8 == 1; ++i) {
        if (round == 0) all[i].send<&guest::greet>(by, 1, i % 2 == 0);
        if (round == 1 && i % 2 == 1) all[i].send<&guest::greet>(by, 1, true);
      }
      if (round == 1 && objects % 2 == 0) all.quiet();
    }
    all.quiet();
  }
  int had = 0;
  if (const guest* const first = all.find(0)) had = first->had;
  EXPECT_EQ(all_reduce<sum>(world, blocking, had), 9 + (objects - 1) + (objects / 2));
  EXPECT_EQ(all_reduce<sum>(world, blocking, all.size_here()), 1U);
}

JOB_TEST(object_ends, reductions_of_sections_go_on_without_objects_that_ended) {
  object_array<guest> all(here.world(), {.name = "guests"});
  all.fill(all_indices<int>({9}));
  party some;
  if (here.rank() == 0) {
    for (int i = 1; i < 5; ++i) all[i].send<&guest::leave_for>((i + 1) % here.size());
    some = all.section(std::vector<int>{0, 2, 4, 6, 8});
    all[4].send<&guest::end>();
    all[6].send<&guest::end>();
    for (const int i : {0, 2, 8}) all[i].send<&guest::give>(some);
  }
  all.quiet();
  if (here.rank() == 0) {
    for (const int i : {0, 2, 8}) all[i].send<&guest::give>(some);
  }
  all.quiet();
  all.for_each_here([](const guest& one) {
    const bool member = one.index() % 2 == 0;
    EXPECT_EQ(one.sums, member ? (std::vector<int>{3, 3}) : std::vector<int>()) << one.index();
  });
  all.quiet();
}

JOB_TEST(object_ends, arrays_that_call_each_other_are_quiet_together) {
  object_array<guest> a(here.world(), {.name = "a"}), b(here.world(), {.name = "b"});
  a.fill(all_indices<int>({3}));
  b.fill(all_indices<int>({3}));
  if (here.rank() == 0) {
    a.broadcast<&guest::meet>(a.id());
    b.broadcast<&guest::meet>(b.id());
  }
  quiet_together(a, b);
  if (here.rank() == 0) a[0].send<&guest::play>(b.id(), 200);
  quiet_together(a, b);
  int had = 0;
  a.for_each_here([&](const guest& one) { had += one.had; });
  b.for_each_here([&](const guest& one) { had += one.had; });
  EXPECT_EQ(all_reduce<sum>(here.world(), blocking, had), 201);
  quiet_together(a, b);
}

TEST(object_errors, name_objects_that_end_or_give_where_they_cannot) {
  const auto said_of = [](auto what) {
    const auto world = test::sim_of(2);
    return test::message_of(*world, [&](job& here) {
      object_array<guest> all(here.world(), {.name = "guests"});
      all.fill(all_indices<int>({4}));
      const strategy_id by = all.bind(each_to_many("mesh2d"));
      if (here.rank() == 0) what(all, by);
      all.quiet();
    });
  };
  const std::string open =
      said_of([](auto& all, strategy_id by) { all[1].template send<&guest::begin_and_end>(by); });
  EXPECT_NE(open.find("object [1] of guests: is removed between begin and end"), std::string::npos)
      << open;
  const std::string none =
      said_of([](auto& all, strategy_id) { all[1].template send<&guest::give>(party()); });
  EXPECT_NE(none.find("a section of guests is contributed to that is not"), std::string::npos)
      << none;
  const auto world = test::sim_of(2);
  const std::string unknown = test::message_of(*world, [](job& here) {
    object_array<guest> all(here.world(), {.name = "guests"});
    static_cast<void>(all.bind(each_to_many("carrier_pigeon")));
  });
  EXPECT_NE(unknown.find("carrier_pigeon"), std::string::npos) << unknown;
}

JOB_TEST(object_ends, what_is_refused_is_not_under_way) {
  object_array<guest> all(here.world(), {.name = "guests"});
  all.fill(all_indices<int>({4}));
  const strategy_id by = all.bind(each_to_many("mesh2d"));
  EXPECT_THROW(all.with(by)[3].send<&guest::take>(1), error);
  EXPECT_THROW(all.with(strategy_id())[3].send<&guest::take>(1), error);
  EXPECT_THROW(all.drop(party()), error);
  all.quiet();
}
