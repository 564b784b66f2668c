// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/shm/detail/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "upwash/base/error.hpp"
#include "upwash/conduit/process_knobs.hpp"
#include "upwash/conduit/shm/shm_row.hpp"

namespace upwash::conduit::shm_detail {
namespace {

settings by_default() {
  knob_table table;
  table.add(shm_row().knobs);
  table.add(process_knobs());
  return settings::defaults(table);
}

std::uint32_t lines_of(int ranks, int processes) {
  return layout::choose(rank_layout::even(ranks, processes), by_default()).line_count;
}

TEST(shm_layout, has_fewer_lines_a_pair_for_more_processes) {
  EXPECT_EQ(lines_of(2, 2), 64U);
  EXPECT_EQ(lines_of(32, 32), 64U);
  EXPECT_EQ(lines_of(33, 33), 32U);
  EXPECT_EQ(lines_of(97, 97), 16U);
}

TEST(shm_layout, has_more_lines_where_many_ranks_share_a_process) {
  EXPECT_EQ(lines_of(16, 2), 64U);
  EXPECT_EQ(lines_of(17, 2), 128U) << "by the process that has most";
  EXPECT_EQ(lines_of(64, 2), 256U);
  EXPECT_EQ(lines_of(65'536, 2), 1024U);
}

TEST(shm_layout, keeps_all_lines_within_some_megabytes) {
  for (int processes = 1; processes <= 256; processes *= 2) {
    const std::uint64_t pairs =
        std::uint64_t{3} * static_cast<std::uint64_t>(processes * processes);
    const auto alone = pairs * lines_of(processes, processes) * 64;
    const auto shared = pairs * lines_of(processes * 256, processes) * 64;
    EXPECT_LE(shared, std::max<std::uint64_t>(alone, std::uint64_t{8} << 20U)) << processes;
    EXPECT_TRUE(std::has_single_bit(lines_of(processes * 256, processes)));
  }
}

TEST(shm_layout, refuses_numbers_of_lines_that_rings_cannot_have) {
  settings values = by_default();
  values.set("shm_ring_lines", "48");
  EXPECT_THROW(static_cast<void>(layout::choose(rank_layout::even(2, 2), values)), error);
}

}  // namespace
}  // namespace upwash::conduit::shm_detail
