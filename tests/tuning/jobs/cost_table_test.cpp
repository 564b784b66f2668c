// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/cost_table.hpp"

#include <algorithm>
#include <numeric>

#include "tests/harness/job_test.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/install.hpp"

namespace {

using namespace upwash;
using tuning::cost_row;

class only_one final : public tuning::cost_table_selector {
 public:
  explicit only_one(std::string wanted) : cost_table_selector("laptop"), wanted_(wanted) {}
  int asked = 0;
  bool sorted = true;

 private:
  void edit(const collective::problem&, std::span<cost_row> table) override {
    ++asked;
    sorted = sorted && std::is_sorted(table.begin(), table.end(),
                                      [](const auto& a, const auto& b) { return a.ns < b.ns; });
    for (cost_row& row : table) {
      if (row.algorithm != wanted_) row.ns = cost_row::never;
    }
  }
  std::string wanted_;
};

std::vector<int> gathered(const team& world) {
  const int mine = 7 * world.rank();
  std::vector<int> all(static_cast<std::size_t>(world.size()));
  all_gather(world, blocking, std::span(&mine, 1), std::span(all));
  return all;
}

}  // namespace

JOB_TEST(cost_table, decides_for_new_and_known_shapes_until_it_is_taken_away, .most_ranks = 8) {
  const std::vector<int> expected = gathered(here.world());
  only_one mine("ring");
  collective::selector* before = collective::set_selector(here, &mine);
  EXPECT_EQ(gathered(here.world()), expected);
  EXPECT_EQ(gathered(here.world()), expected);
  EXPECT_EQ(mine.asked, 1);  // the plan of before is forgotten, the new one is kept
  EXPECT_TRUE(mine.sorted);
  EXPECT_EQ(collective::set_selector(here, before), &mine);
  EXPECT_EQ(gathered(here.world()), expected);
  EXPECT_EQ(mine.asked, 1);
}

JOB_TEST(cost_table, is_asked_for_each_label, .least_ranks = 2, .most_ranks = 4) {
  class by_label final : public tuning::cost_table_selector {
   public:
    by_label() : cost_table_selector("laptop") {}
    std::string labels;

   private:
    void edit(const collective::problem& call, std::span<cost_row>) override {
      labels.append(call.label).append(";");
    }
  } mine;
  collective::selector* before = collective::set_selector(here, &mine);
  for (int i = 0; i < 3; ++i) {
    for (const char* label : {"dot", "norm", ""}) {
      int value = 1;
      all_reduce<sum>(here.world(), blocking, in_place, std::span(&value, 1), {.label = label});
      EXPECT_EQ(value, here.size());
    }
  }
  EXPECT_EQ(mine.labels, "dot;norm;;");
  collective::set_selector(here, before);
}

JOB_TEST(cost_table, that_allows_nothing_is_an_error_at_every_rank, .most_ranks = 4) {
  only_one nothing("no such algorithm");
  collective::selector* before = collective::set_selector(here, &nothing);
  EXPECT_THROW(gathered(here.world()), error);
  collective::set_selector(here, before);
  EXPECT_EQ(gathered(here.world()).size(), static_cast<std::size_t>(here.size()));
}
