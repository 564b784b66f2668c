// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// fork, exec, kill and reap.
#include "upwash/launch/detail/child.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "upwash/base/error.hpp"
#include "upwash/base/process_facts.hpp"

namespace upwash::launch::detail {
namespace {

struct pipe_ends {
  int read = -1;
  int write = -1;
};

pipe_ends make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw system_error("cannot make a pipe for a process (see ulimit -n)", errno);
  }
  return {ends[0], ends[1]};
}

/// Between fork and exec: async-signal-safe calls only.
[[noreturn]] void become_program(const start_plan& plan, int index, int out, int err,
                                 pid_t launcher) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(1);  // it died before the line above
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  // A terminal would stop a process of another group that reads it; a file or pipe is rank 0's.
  if (plan.standard_in >= 0) {
    dup2(plan.standard_in, STDIN_FILENO);
  } else if (index != 0 || isatty(STDIN_FILENO) != 0) {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  }
  if (plan.cores != nullptr && !plan.cores->empty()) {
    const cpu_set_t& core = (*plan.cores)[static_cast<std::size_t>(index) % plan.cores->size()];
    sched_setaffinity(0, sizeof core, &core);
  }
  for (const int fd : plan.inherited) fcntl(fd, F_SETFD, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  execvpe(plan.arguments[0], plan.arguments.data(), plan.environment.data());
  const int why = errno;
  [[maybe_unused]] const ssize_t told = write(plan.report, &why, sizeof why);
  _exit(127);
}

}  // namespace

start_report::start_report() {
  const pipe_ends ends = make_pipe();
  read_ = ends.read;
  write_ = ends.write;
}

start_report::~start_report() {
  close(read_);
  if (write_ >= 0) close(write_);
}

int start_report::error_number() noexcept {
  close(write_);
  write_ = -1;
  int why = 0;
  return read(read_, &why, sizeof why) == sizeof why ? why : 0;
}

child start_child(const start_plan& plan, int index) {
  const pipe_ends out = make_pipe();
  const pipe_ends err = make_pipe();
  const pid_t launcher = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw system_error(fmt::format("cannot start process {}", index), errno);
  if (pid == 0) become_program(plan, index, out.write, err.write, launcher);
  setpgid(pid, pid);  // here too: whoever comes first
  close(out.write);
  close(err.write);
  fcntl(out.read, F_SETFL, O_NONBLOCK);
  fcntl(err.read, F_SETFL, O_NONBLOCK);
  const auto pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0 && (errno == EMFILE || errno == ENFILE)) {
    const int why = errno;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    throw system_error("no descriptor to watch a process (see ulimit -n)", why);
  }
  return {pid, pidfd, out.read, err.read, false, 0};
}

bool reap(child& one) {
  rusage used{};
  if (one.reaped || wait4(one.pid, &one.status, WNOHANG, &used) != one.pid) return false;
  one.reaped = true;
  one.most_memory = static_cast<std::uint64_t>(used.ru_maxrss) << 10U;
  if (one.pidfd >= 0) close(one.pidfd);
  one.pidfd = -1;
  return true;
}

void kill_groups(const std::vector<child>& children) {
  // A reaped leader's group keeps its number as long as the group has members, and orphans of a
  // group are found as such, so only groups of living leaders are ours for sure.
  for (const child& one : children) {
    if (!one.reaped) kill(-one.pid, SIGKILL);
  }
}

std::vector<pid_t> own_children() {
  std::vector<pid_t> found;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return found;
  const pid_t self = getpid();
  while (const dirent* entry = readdir(folder)) {
    const int pid = std::atoi(entry->d_name);
    if (pid > 0 && parent_of(pid) == self) found.push_back(pid);
  }
  closedir(folder);
  return found;
}

void kill_orphans(const std::vector<pid_t>& spared) {
  // Each round kills one generation: its children become ours when it is gone.
  for (int round = 0; round < 1000; ++round) {
    bool any = false;
    for (const pid_t pid : own_children()) {
      if (std::find(spared.begin(), spared.end(), pid) != spared.end()) continue;
      any = true;
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    if (!any) return;
  }
}

std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  const auto set_in = [&all](std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('=') + 1);
    return std::any_of(all.begin(), all.end(),
                       [name](const std::string& one) { return one.starts_with(name); });
  };
  const std::size_t own = all.size();
  std::vector<std::string> inherited;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!set_in(*entry)) inherited.emplace_back(*entry);
  }
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(own), inherited.begin(), inherited.end());
  return all;
}

}  // namespace upwash::launch::detail
