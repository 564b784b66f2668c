// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/lent_tasks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <thread>

namespace upwash {
namespace {

/// Counts to its end, some steps a move; not guarded: whoever moves it is alone with it.
class counting final : public lent_task {
 public:
  explicit counting(int end) : end_(end) {}
  [[nodiscard]] bool over() const { return over_.load(std::memory_order_acquire); }
  [[nodiscard]] int by(taken_by who) const { return done_by_[static_cast<std::size_t>(who)]; }

 private:
  int move(taken_by who) override {
    int moved = 0;
    for (; moved < 3 && at_ != end_; ++moved) ++at_;
    done_by_[static_cast<std::size_t>(who)] += moved;
    if (at_ == end_) over_.store(true, std::memory_order_release);
    return moved;
  }

  int end_;
  int at_ = 0;
  std::array<int, 2> done_by_{};
  std::atomic<bool> over_ = false;
};

TEST(lent_tasks, go_on_by_the_thread_alone) {
  lent_tasks tasks;
  counting one(7);
  EXPECT_TRUE(tasks.empty());
  ASSERT_TRUE(tasks.lend(one));
  EXPECT_FALSE(tasks.empty());
  EXPECT_EQ(tasks.go_on_with_all(), 3);
  EXPECT_EQ(tasks.go_on(one), 3);
  tasks.take_back(one);
  EXPECT_TRUE(tasks.empty());
  EXPECT_EQ(tasks.go_on_with_all(), 0);
  EXPECT_EQ(tasks.go_on(one), 1) << "what is not lent any more goes on by the rank";
  EXPECT_TRUE(one.over());
  EXPECT_EQ(one.by(taken_by::thread), 3);
  tasks.take_back(one);
}

TEST(lent_tasks, are_sixteen_at_most) {
  lent_tasks tasks;
  std::deque<counting> all;
  for (int i = 0; i < 17; ++i) {
    EXPECT_EQ(tasks.lend(all.emplace_back(1)), i < 16) << i;
  }
  EXPECT_EQ(tasks.go_on(all.back()), 1) << "the one too many stays the rank's";
  tasks.take_back(all.front());
  counting next(1);
  EXPECT_TRUE(tasks.lend(next)) << "a place that is free again is taken";
  EXPECT_EQ(tasks.go_on_with_all(), 16);
  tasks.take_back(next);
  for (counting& each : all) tasks.take_back(each);
}

/// Both threads at once, tasks that come and go: each step is done once, by one of them.
TEST(lent_tasks, go_on_by_whoever_comes_first) {
  lent_tasks tasks;
  std::jthread thread([&tasks](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (tasks.go_on_with_all() == 0) std::this_thread::yield();
    }
  });
  counting first(100);  // by the thread alone, which runs then
  ASSERT_TRUE(tasks.lend(first));
  while (!first.over()) std::this_thread::yield();
  tasks.take_back(first);
  EXPECT_EQ(first.by(taken_by::thread), 100);
  for (int round = 0; round < 2000; ++round) {
    std::deque<counting> open;
    for (int i = 0; i < 5; ++i) {
      const int steps = (round * 7 + i * 13) % 40;
      ASSERT_TRUE(tasks.lend(open.emplace_back(steps)));
    }
    const bool waits_for_all = round % 3 != 0;  // else they are taken back on the way
    for (counting& each : open) {
      while (waits_for_all && !each.over()) static_cast<void>(tasks.go_on(each));
      tasks.take_back(each);
      while (!each.over()) static_cast<void>(tasks.go_on(each));
    }
    for (int i = 0; i < 5; ++i) {
      const counting& each = open[static_cast<std::size_t>(i)];
      ASSERT_EQ(each.by(taken_by::rank) + each.by(taken_by::thread), (round * 7 + i * 13) % 40);
    }
  }
}

}  // namespace
}  // namespace upwash
