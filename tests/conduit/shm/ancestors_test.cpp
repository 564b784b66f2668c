// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/shm/detail/ancestors.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <vector>

namespace upwash::conduit::shm_detail {
namespace {

TEST(ancestors, the_nearest_that_all_descend_from) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const pid_t grandchild = fork();
    if (grandchild != 0) {
      static_cast<void>(!write(ends[1], &grandchild, sizeof grandchild));
      waitpid(grandchild, nullptr, 0);
      _exit(0);
    }
    pause();
    _exit(0);
  }
  pid_t grandchild = 0;
  ASSERT_EQ(read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  EXPECT_EQ(common_ancestor(std::vector<int>{child}), getpid());
  EXPECT_EQ(common_ancestor(std::vector<int>{grandchild}), child);
  EXPECT_EQ(common_ancestor(std::vector<int>{grandchild, child}), getpid());
  EXPECT_EQ(common_ancestor(std::vector<int>{child, getpid()}), getppid());
  EXPECT_EQ(common_ancestor({}), getppid()) << "where nothing is known";
  kill(grandchild, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace upwash::conduit::shm_detail
