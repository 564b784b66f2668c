// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which waiting policy is chosen: what polls is held against the processors it may run on.
#include "upwash/conduit/patience.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "upwash/base/group_limits.hpp"
#include "upwash/conduit/process_knobs.hpp"

namespace upwash::conduit {
namespace {

patience::policy chosen(int processes, int threads_each) {
  std::vector<polling_process> all(static_cast<std::size_t>(processes));
  for (polling_process& one : all) {
    one.threads = threads_each;
    one.processors[0] = 0b11;
  }
  knob_table table;
  table.add(process_knobs());
  return patience::choose(settings::defaults(table), all, 0, "test").chosen();
}

TEST(patience, spins_while_all_that_polls_has_a_processor) {
  if (within_quota(2) < 2) GTEST_SKIP() << "one processor's time for this process";
  EXPECT_EQ(chosen(1, 1), patience::policy::spin);
  EXPECT_EQ(chosen(2, 1), patience::policy::spin);
  EXPECT_EQ(chosen(3, 1), patience::policy::yield);
}

TEST(patience, counts_progress_threads) {
  if (within_quota(2) < 2) GTEST_SKIP() << "one processor's time for this process";
  EXPECT_EQ(chosen(1, 2), patience::policy::spin);
  EXPECT_EQ(chosen(2, 2), patience::policy::yield);
}

}  // namespace
}  // namespace upwash::conduit
