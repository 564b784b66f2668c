// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/fifo.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "tests/allocations.hpp"
#include "upwash/base/random.hpp"

namespace upwash {
namespace {

TEST(fifo, does_what_a_deque_does) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    random_stream draw(seed, 0);
    fifo<std::string> queue;
    std::deque<std::string> wanted;
    for (int turn = 0; turn < 400; ++turn) {
      if (draw.below(5) < 3) {
        const std::string entry = std::to_string(draw.next());
        queue.push_back(entry);
        wanted.push_back(entry);
      } else if (!wanted.empty()) {
        ASSERT_EQ(queue.front(), wanted.front());
        queue.pop_front();
        wanted.pop_front();
      }
      ASSERT_EQ(queue.size(), wanted.size());
      ASSERT_EQ(queue.empty(), wanted.empty());
      for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(queue[i], wanted[i]) << seed;
      if (!wanted.empty()) {
        ASSERT_EQ(queue.back(), wanted.back());
      }
    }
  }
}

TEST(fifo, lets_go_of_what_was_taken) {
  fifo<std::shared_ptr<int>> queue;
  const auto kept = std::make_shared<int>(7);
  queue.push_back(kept);
  queue.pop_front();
  EXPECT_EQ(kept.use_count(), 1);
  queue.push_back(kept);
  queue.push_back(kept);
  queue.pop_back();
  EXPECT_EQ(kept.use_count(), 2);
  EXPECT_EQ(queue.size(), 1U);
}

TEST(fifo, allocates_only_for_more_than_ever) {
  fifo<int> queue;
  for (int i = 0; i < 30; ++i) queue.push_back(i);
  const std::uint64_t before = test::allocated_bytes();
  for (int i = 0; i < 10'000; ++i) {
    queue.push_back(queue.front());
    queue.pop_front();
  }
  EXPECT_EQ(test::allocated_bytes(), before);
}

}  // namespace
}  // namespace upwash
