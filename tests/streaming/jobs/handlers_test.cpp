// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What handlers of streams may count on, and what the program around them may.
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/streaming/stream.hpp"

namespace {

using namespace upwash;

}  // namespace

JOB_TEST(stream_handlers, run_once_the_stream_is_open, .least_ranks = 2, .most_ranks = 4) {
  const team world = here.world();
  if (here.rank() == 1) {
    // Items of the others come before this member opens its stream.
    for (int i = 0; i < 200; ++i) {
      here.compute(duration::from_us(10));
      here.progress();
    }
  }
  bool is_open = false;
  std::vector<int> got;
  auto items = open_stream<int>(world,
                                [&](const int& item) {
                                  EXPECT_TRUE(is_open);
                                  got.push_back(item);
                                },
                                {.buffer_bytes = 16, .ordered = true});
  is_open = true;
  if (here.rank() == 0) {
    for (int i = 0; i < 100; ++i) items.push(1, i);
  }
  items.finish();
  ASSERT_EQ(got.size(), here.rank() == 1 ? 100U : 0U);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], static_cast<int>(i));
}

JOB_TEST(stream_handlers, leave_the_common_part_of_who_they_interrupt, .least_ranks = 2,
         .most_ranks = 4) {
  const team world = here.world();
  constexpr int mine = 5;
  constexpr int of_handlers = 99;
  int others = 0;
  int answers = 0;
  auto items = open_stream_with<int, int>(world, [&](auto& self, const int& common, int item) {
    if (item < 0) {
      self.set_common(of_handlers);
      self.push(world.rank(), 0);
    } else if (common == of_handlers) {
      ++answers;
    } else {
      others += common == mine ? 0 : 1;
    }
  });
  items.set_common(mine);
  const int next = (world.rank() + 1) % world.size();
  for (int i = 0; i < 5000; ++i) items.push(next, i % 50 == 0 ? -1 : 1);
  items.finish();
  EXPECT_EQ(others, 0);
  EXPECT_EQ(answers, 100);
}

JOB_TEST(stream_handlers, that_push_to_themselves_keep_to_the_memory_given, .most_ranks = 2) {
  const team world = here.world();
  constexpr std::uint32_t depth = 15;
  std::uint64_t count = 0;
  auto items = open_stream<std::uint32_t>(world,
                                          [&](auto& self, const std::uint32_t& left) {
                                            ++count;
                                            if (left == 0) return;
                                            self.push(world.rank(), left - 1);
                                            self.push(world.rank(), left - 1);
                                          },
                                          {.buffer_bytes = 256, .memory = 4096});
  items.push(world.rank(), depth);
  items.finish();
  EXPECT_EQ(count, (2ULL << depth) - 1);
  // 65,535 items of 4 bytes; a few buffers of each level lie beyond the memory given.
  EXPECT_LE(items.statistics().buffer_memory, 4096 + (2 * depth + 4) * 256U);
}

JOB_TEST(stream_handlers, get_truth_values, .most_ranks = 4) {
  const team world = here.world();
  std::size_t whole = 0;
  std::size_t right = 0;
  auto each = open_stream<bool>(world, [&](const bool& item) { right += item ? 1 : 0; });
  auto batches = open_stream<bool>(world, [&](std::span<const bool> all) { whole += all.size(); });
  for (int i = 0; i < 30; ++i) {
    each.push(i % world.size(), i % 3 == 0);
    batches.push(world.rank(), true);
  }
  each.finish();
  batches.finish();
  EXPECT_EQ(whole, 30U);
  std::vector<std::uint64_t> sum{right};
  control::all_reduce(world, sum, control::fold::sum);
  EXPECT_EQ(sum[0], 10U * static_cast<unsigned>(world.size()));
}

JOB_TEST(stream_handlers, run_to_the_end_of_a_stream_that_a_destructor_opens, .most_ranks = 4) {
  const team world = here.world();
  int got = 0;
  struct at_the_end {
    const team& among;
    int& count;
    ~at_the_end() {
      auto items = open_stream<int>(among, [this](const int&) { ++count; });
      items.push((among.rank() + 1) % among.size(), 1);
    }
  };
  try {
    const at_the_end last{world, got};
    throw std::runtime_error("caught below");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(got, 1);
}

JOB_TEST(stream_handlers, need_a_team) {
  const team none = here.world().split(-1, 0);
  EXPECT_THROW((void)open_stream<int>(none, [](const int&) {}), error);
}
