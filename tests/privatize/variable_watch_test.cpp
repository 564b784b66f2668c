// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/privatize/variable_watch.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

int watched_counter = 0;  // NOLINT: globals are what is watched

namespace {

std::array<int, 8> one_each{};
thread_local int watched_of_thread = 0;

int& local_static() {
  static int number = 5;
  return number;
}

/// Whether it is one of these here: the tests' own counts of allocations change, too.
bool is_of_this_file(const std::string& name) {
  return name.find("watched_") != std::string::npos || name.find("one_each") != std::string::npos ||
         name.find("local_static") != std::string::npos;
}

/// What is found after `change` by a rank.
std::vector<std::string> after(upwash::privatize::variable_watch& watch, int rank, int* changed,
                               int to) {
  std::vector<std::string> found;
  watch.forgive();
  *changed = to;
  watch.blame(rank, [&](const upwash::privatize::shared_variable& one) {
    if (!is_of_this_file(one.name)) return;
    found.push_back(one.name + " of " + std::to_string(one.first) + " and " +
                    std::to_string(one.second));
  });
  return found;
}

using names = std::vector<std::string>;

}  // namespace

TEST(variable_watch, names_a_variable_that_two_ranks_changed_and_both_once) {
  upwash::privatize::variable_watch watch;
  if (watch.watched() == 0) GTEST_SKIP() << "no symbols";
  EXPECT_EQ(after(watch, 3, &watched_counter, 1), names{});
  EXPECT_EQ(after(watch, 3, &watched_counter, 2), names{}) << "it may";
  EXPECT_EQ(after(watch, 5, &watched_counter, 2), names{}) << "nothing has changed";
  EXPECT_EQ(after(watch, 5, &watched_counter, 7), names{"watched_counter of 3 and 5"});
  EXPECT_EQ(after(watch, 6, &watched_counter, 8), names{}) << "once";
}

TEST(variable_watch, sees_static_locals_and_variables_of_the_thread) {
  upwash::privatize::variable_watch watch;
  if (watch.watched() == 0) GTEST_SKIP() << "no symbols";
  EXPECT_EQ(after(watch, 0, &local_static(), 6), names{});
  EXPECT_EQ(after(watch, 1, &local_static(), 7),
            names{"(anonymous namespace)::local_static()::number of 0 and 1"});
  EXPECT_EQ(after(watch, 0, &watched_of_thread, 6), names{});
  EXPECT_EQ(after(watch, 1, &watched_of_thread, 7),
            names{"(anonymous namespace)::watched_of_thread of 0 and 1"});
}

TEST(variable_watch, lets_ranks_have_an_element_each_and_forgives_what_came_between) {
  upwash::privatize::variable_watch watch;
  if (watch.watched() == 0) GTEST_SKIP() << "no symbols";
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(after(watch, rank, &one_each[static_cast<std::size_t>(rank)], rank + 1), names{});
  }
  EXPECT_EQ(after(watch, 0, one_each.data(), 50), names{});
  one_each[0] = 60;
  EXPECT_EQ(after(watch, 1, one_each.data(), 60), names{}) << "rank 1 has not changed it";
  EXPECT_EQ(after(watch, 1, one_each.data(), 70),
            names{"(anonymous namespace)::one_each of 0 and 1"});
}

TEST(variable_watch, watches_nothing_where_it_is_told_to) {
  const upwash::privatize::variable_watch watch(false);
  EXPECT_EQ(watch.watched(), 0U);
}
