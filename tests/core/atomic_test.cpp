// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics on words of regions, by whoever executes them, on every conduit.
#include "tests/harness/job_test.hpp"

namespace {

using namespace upwash;

}  // namespace

JOB_TEST(atomics, lose_nothing) {
  for (const atomicity how : {atomicity::automatic, atomicity::owner}) {
    region area = allocate(here.world(), 256, how);
    for (int i = 0; i < 100; ++i) {
      fetch_add(here, area.at<std::uint64_t>(i % here.size()), 1);
      add(here, area.at<std::int32_t>(i % here.size(), 4), -1);
      fetch_max(here, area.at<std::int64_t>(0, 5), here.rank() * 1000 + i);
      fetch_min(here, area.at<std::int64_t>(0, 6), -here.rank());
    }
    control::barrier(here.world());
    std::uint64_t total = 0;
    std::int64_t less = 0;
    for (int rank = 0; rank < here.size(); ++rank) {
      total += atomic_load(here, area.at<std::uint64_t>(rank));
      less += atomic_load(here, area.at<std::int32_t>(rank, 4));
    }
    EXPECT_EQ(total, 100U * static_cast<std::uint64_t>(here.size()));
    EXPECT_EQ(less, -100 * here.size());
    EXPECT_EQ(atomic_load(here, area.at<std::int64_t>(0, 5)), (here.size() - 1) * 1000 + 99);
    EXPECT_EQ(atomic_load(here, area.at<std::int64_t>(0, 6)), -(here.size() - 1));
    control::barrier(here.world());
    free(area);
  }
}

JOB_TEST(atomics, do_what_they_say) {
  region area = allocate(here.world(), 64);
  const auto word = area.at<std::uint32_t>((here.rank() + 1) % here.size());
  atomic_store(here, word, 0xf0U);
  EXPECT_EQ(swap(here, word, 0xffU), 0xf0U);
  EXPECT_EQ(compare_swap(here, word, 1U, 2U), 0xffU);
  EXPECT_EQ(compare_swap(here, word, 0xffU, 12U), 0xffU);
  EXPECT_EQ(atomic(here, word, atomic_kind::fetch_and, 8U), 12U);
  EXPECT_EQ(atomic(here, word, atomic_kind::fetch_or, 3U), 8U);
  EXPECT_EQ(atomic(here, word, atomic_kind::fetch_xor, 1U), 11U);
  EXPECT_EQ(fetch_min(here, word, 4U), 10U);
  EXPECT_EQ(fetch_max(here, word, 40U), 4U);
  std::uint64_t old = 0;
  atomic_async(here, word, atomic_kind::fetch_add, 2U, 0U, &old).wait();
  EXPECT_EQ(old, 40U);
  EXPECT_EQ(atomic_load(here, word), 42U);
  EXPECT_THROW(fetch_add(here, area.at(0, 4).as<std::uint64_t>(), 1), error);
  control::barrier(here.world());
  free(area);
}
