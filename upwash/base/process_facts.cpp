// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading of /proc/PID/stat and /proc/PID/status.
#include "upwash/base/process_facts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace upwash {
namespace {

/// The beginning of a file about a process; empty when there is no such process.
std::array<char, 4096> process_file(int pid, const char* name) {
  const std::string path = fmt::format("/proc/{}/{}", pid, name);
  std::array<char, 4096> text{};
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  if (read(fd, text.data(), text.size() - 1) < 0) text[0] = '\0';
  close(fd);
  return text;
}

/// Behind "pid (command) ", at the state; the command may itself hold parentheses. Or null.
const char* behind_command(const std::array<char, 4096>& stat) {
  const char* at = std::strrchr(stat.data(), ')');
  return at != nullptr && std::strlen(at) > 4 ? at + 2 : nullptr;
}

/// The number in a field (proc(5) counts them from 1) behind the state, which is field 3; `at` is
/// there, or null.
std::uint64_t number_in(const char* at, int wanted) {
  for (int field = 3; at != nullptr && field < wanted; ++field) {
    at = std::strchr(at, ' ');
    if (at != nullptr) ++at;
  }
  return at != nullptr ? std::strtoull(at, nullptr, 10) : 0;
}

}  // namespace

std::uint64_t process_started(int pid) {
  // Of its first thread, which is as old: what a process under qemu-user reads of itself in
  // /proc/PID/stat is qemu's, and another start than its peers see.
  const auto stat = process_file(pid, fmt::format("task/{}/stat", pid).c_str());
  const char* at = behind_command(stat);
  // Ended, and only not yet reaped.
  if (at != nullptr && (*at == 'Z' || *at == 'X')) return 0;
  return number_in(at, 22);
}

double processor_seconds_of(int pid) {
  const auto stat = process_file(pid, "stat");
  const char* at = behind_command(stat);
  const std::uint64_t ticks = number_in(at, 14) + number_in(at, 15);  // of the user, of the system
  return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

bool process_lives(int pid, std::uint64_t started) {
  // Without /proc nothing tells a pid that was given to another process since.
  return started != 0 ? process_started(pid) == started : pid > 0 && kill(pid, 0) == 0;
}

int parent_of(int pid) {
  const auto stat = process_file(pid, "stat");
  const char* at = behind_command(stat);
  return at != nullptr ? std::atoi(at + 2) : -1;
}

char run_state_of(int pid) {
  const auto stat = process_file(pid, "stat");
  const char* at = behind_command(stat);
  return at != nullptr ? *at : '\0';
}

std::string command_of(int pid) {
  const auto stat = process_file(pid, "stat");
  const char* begin = std::strchr(stat.data(), '(');
  const char* end = std::strrchr(stat.data(), ')');
  return begin != nullptr && end != nullptr ? std::string(begin + 1, end) : std::string();
}

bool catches(int pid, int signal) {
  const auto status = process_file(pid, "status");
  const char* at = std::strstr(status.data(), "SigCgt:");
  if (at == nullptr) return false;
  const std::uint64_t caught = std::strtoull(at + std::strlen("SigCgt:"), nullptr, 16);
  return ((caught >> (signal - 1)) & 1U) != 0;
}

}  // namespace upwash
