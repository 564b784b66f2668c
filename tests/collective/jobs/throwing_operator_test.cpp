// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An operator that throws ends the job, also if the program catches what the call throws. Jobs of
// several processes: tests/system/faulty.sh.
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/harness/worlds.hpp"
#include "upwash/upwash.hpp"

namespace {

using namespace upwash;

struct limited_sum {
  int operator()(int left, int right) const {
    if (left + right > 3) throw std::runtime_error("the sum is too large");
    return left + right;
  }
};

void reduce_and_go_on(job& here) {
  const team world = here.world();
  const std::vector<int> mine(1000, here.rank());
  std::vector<int> result(1000);
  try {
    all_reduce<limited_sum>(world, blocking, mine, result);
  } catch (const std::exception&) {
  }
  barrier(world, blocking);
}

void start_and_go_on(job& here) {
  const team world = here.world();
  const std::vector<int> mine(1000, here.rank());
  std::vector<int> result(1000);
  request sum = scan<limited_sum>(world, mine, result);
  try {
    sum.wait();
  } catch (const std::exception&) {
  }
  sum = {};
  barrier(world, blocking);
}

TEST(throwing_operator, ends_the_job_on_loopback_and_sim) {
  for (const auto make : {&test::loopback_of, &test::sim_of}) {
    for (const auto body : {&reduce_and_go_on, &start_and_go_on}) {
      const std::string text = test::message_of(*make(4), body);
      EXPECT_NE(text.find("the operator of a reduction threw: the sum is too large"),
                std::string::npos)
          << text;
    }
  }
}

}  // namespace
