// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process that has reached an exchange and then dies, while another one that waits has looked who
// has come, and is about to look who lives. It is held there as debuggers do it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

#include "tests/launch/processes.hpp"
#include "upwash/launch/bootstrap.hpp"

namespace upwash::launch {
namespace {

pid_t in_process(const std::function<int()>& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    try {
      _exit(body());
    } catch (const error& problem) {
      std::fprintf(stderr, "%s\n", problem.what());
      _exit(99);
    }
  }
  return pid;
}

int status_of(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Of a process that has stopped itself.
bool can_be_traced(pid_t pid) {
  __ptrace_syscall_info call{};
  return ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD) == 0 &&
         ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof call, &call) > 0;
}

bool waits_for_events(pid_t pid) {
  __ptrace_syscall_info call{};
  ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof call, &call);
  return call.op == PTRACE_SYSCALL_INFO_ENTRY && (
#ifdef SYS_epoll_wait
                                                     call.entry.nr == SYS_epoll_wait ||
#endif
                                                     call.entry.nr == SYS_epoll_pwait);
}

/// Lets a traced process that is held go on until it is about to wait for events.
bool goes_on_to_events(pid_t pid) {
  int status = 0;
  do {
    if (ptrace(PTRACE_SYSCALL, pid, nullptr, nullptr) != 0) return false;
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) return false;
  } while (!waits_for_events(pid));
  return true;
}

/// A pipe with a byte for each process that may pass.
class gate {
 public:
  gate() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~gate() {
    close(ends_[0]);
    close(ends_[1]);
  }
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;

  void open() { EXPECT_EQ(write(ends_[1], "", 1), 1); }
  void pass() {
    char byte = 0;
    EXPECT_EQ(read(ends_[0], &byte, 1), 1);
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(rendezvous, exchange_that_all_have_reached_holds_though_one_has_died_since) {
  const std::string job = "behind" + std::to_string(getpid());
  gate joined;
  gate last;
  const pid_t waiting = in_process([&] {
    const auto boot = make_bootstrap(member(0, 3, job));
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) return 77;
    raise(SIGSTOP);
    boot->barrier();
    return 17;
  });
  const pid_t dying = in_process([&] {
    const auto boot = make_bootstrap(member(1, 3, job));
    joined.open();
    boot->barrier();
    return raise(SIGKILL);
  });
  const pid_t late = in_process([&] {
    const auto boot = make_bootstrap(member(2, 3, job));
    joined.open();
    last.pass();
    boot->barrier();
    return 17;
  });
  joined.pass();
  joined.pass();
  int status = 0;
  waitpid(waiting, &status, 0);
  const bool traced = WIFSTOPPED(status) && can_be_traced(waiting);
  const bool held = traced && goes_on_to_events(waiting);
  last.open();
  if (!held) {
    for (const pid_t each : {waiting, dying, late}) kill(each, SIGKILL);
  }
  EXPECT_EQ(status_of(dying), 137);
  const int of_late = status_of(late);
  if (held) ptrace(PTRACE_CONT, waiting, nullptr, nullptr);
  const int of_waiting = status_of(waiting);
  const bool refused = WIFEXITED(status) && WEXITSTATUS(status) == 77;
  if (refused || (WIFSTOPPED(status) && !traced)) GTEST_SKIP() << "nothing can be traced here";
  ASSERT_TRUE(held) << "it has not looked who lives";
  EXPECT_EQ(of_late, 17);
  EXPECT_EQ(of_waiting, 17);
}

}  // namespace
}  // namespace upwash::launch
