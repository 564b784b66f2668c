// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/left_segments.hpp"

#include <gtest/gtest.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace {

using namespace upwash;

struct segments {
  int hidden = -1;    ///< without a key, attached nowhere
  int attached = -1;  ///< by the test
  int known = -1;     ///< by its key
};

/// Made by a process that ends; its pid is left in `maker`.
segments made_by_another(pid_t& maker) {
  std::array<int, 2> told{};
  EXPECT_EQ(pipe(told.data()), 0);
  maker = fork();
  if (maker == 0) {
    const int key = 0x75700000 + (getpid() & 0xffff);
    const segments made{shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600),
                        shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600),
                        shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0600)};
    _exit(write(told[1], &made, sizeof made) == sizeof made ? 0 : 1);
  }
  segments made;
  EXPECT_EQ(read(told[0], &made, sizeof made), static_cast<ssize_t>(sizeof made));
  waitpid(maker, nullptr, 0);
  for (const int end : told) close(end);
  return made;
}

bool is_there(int id) {
  shmid_ds found{};
  return shmctl(id, IPC_STAT, &found) == 0;
}

TEST(left_segments, that_nobody_can_find_are_removed) {
  pid_t maker = -1;
  const segments made = made_by_another(maker);
  if (made.hidden < 0 || made.known < 0) GTEST_SKIP() << "no shared memory of System V here";
  void* const at = shmat(made.attached, nullptr, 0);
  const std::array<pid_t, 1> others{getpid()};
  launch::detail::remove_segments_of(others);
  EXPECT_TRUE(is_there(made.hidden));
  const std::array<pid_t, 2> makers{getpid(), maker};
  launch::detail::remove_segments_of(makers);
  EXPECT_FALSE(is_there(made.hidden));
  EXPECT_TRUE(is_there(made.attached));
  EXPECT_TRUE(is_there(made.known));
  shmdt(at);
  for (const int id : {made.attached, made.known}) shmctl(id, IPC_RMID, nullptr);
}

}  // namespace
