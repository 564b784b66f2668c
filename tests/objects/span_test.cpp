// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arguments of calls that are spans: their elements travel, and are kept until the method runs.
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/objects/object_array.hpp"
#include "upwash/objects/strategies.hpp"

namespace {

using namespace upwash;

struct shelf : object<int> {
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(sum, texts);
  }
  void put(std::span<const double> goods, int times, const std::span<const std::string>& names) {
    sum += times * std::accumulate(goods.begin(), goods.end(), 0.0);
    for (const std::string& each : names) texts += each;
  }
  void put_some(std::span<const double> goods) {
    for (const double each : goods) sum += each;
  }
  void hand_on(int objects, strategy_id by) {
    std::vector<double> own(40, 0.5);
    const object_view<shelf> all(*this);
    const auto strategically = all.with(by);
    for (int to = 0; to < objects; ++to) {
      all[to].send<&shelf::put_some>(own);
      all[to].send_after<&shelf::put_some>(duration::from_us(1), std::span(own).first(2));
      strategically[to].send<&shelf::put_some>(std::span<const double>(own).first(4));
      own.assign(own.size(), 0.5);  // the elements are the caller's again
    }
    all[index()].send_first<&shelf::put_some>(3, std::vector<double>{0.25});
    migrate_to((member() + 1) % here().size());
  }
  void pause_and_put(std::span<const double> goods) {
    came += 1;
    wait_until([&] { return came == 2; });
    put_some(goods);
  }
  using methods_that_wait = methods<&shelf::pause_and_put>;

  double sum = 0;
  std::string texts;
  int came = 0;
};

}  // namespace

JOB_TEST(object_spans, carry_their_elements) {
  constexpr int objects = 5;
  object_array<shelf> all(here.world(), {.name = "shelves"});
  all.fill(all_indices<int>({objects}));
  std::vector<double> goods{1, 2, 3};
  std::vector<std::string> names{"a", std::string(100, 'b')};
  for (int to = 0; to < objects; ++to) {
    all[to].send<&shelf::put>(goods, 2, names);
    all[to].send<&shelf::put>(std::span(goods).first(1), 1, std::span<const std::string>());
  }
  std::vector<double> many(100'000, 1.0);
  all[0].send<&shelf::put_some>(many);
  if (here.rank() == 0) all.broadcast<&shelf::put_some>(goods);
  goods.assign(3, -1000);
  many.assign(many.size(), -1000);
  names.clear();
  all.quiet();
  all.for_each_here([&](const shelf& one) {
    const int ranks = one.here().size();
    EXPECT_EQ(one.sum, ranks * 13 + 6 + (one.index() == 0 ? ranks * 1e5 : 0)) << one.index();
    EXPECT_EQ(one.texts.size(), static_cast<std::size_t>(ranks) * 101);
  });
  all.quiet();
}

JOB_TEST(object_spans, are_kept_while_objects_migrate) {
  constexpr int objects = 6;
  object_array<shelf> all(here.world(), {.name = "shelves"});
  all.fill(all_indices<int>({objects}));
  const strategy_id by = all.bind(streaming_calls());
  for (int round = 0; round < 3; ++round) {
    if (here.rank() == 0) all.broadcast<&shelf::hand_on>(objects, by);
    if (round == 1) all.quiet();
  }
  all.quiet();
  all.for_each_here([&](const shelf& one) {
    EXPECT_EQ(one.sum, 3 * (objects * (20 + 1 + 2) + 0.25)) << one.index();
  });
  all.quiet();
}

JOB_TEST(object_spans, are_kept_by_methods_that_wait) {
  object_array<shelf> all(here.world(), {.name = "shelves"});
  all.fill(std::vector<int>{0});
  if (here.rank() == here.size() - 1) {
    std::vector<double> goods(20, 1.0);
    all[0].send<&shelf::pause_and_put>(goods);
    goods.assign(20, 2.0);
    all[0].send<&shelf::pause_and_put>(goods);
    goods.assign(20, 3.0);
  }
  all.quiet();
  if (const shelf* const one = all.find(0)) {
    EXPECT_EQ(one->sum, 60);
  }
  all.quiet();
}
