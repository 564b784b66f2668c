// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files of control groups. In a container the group's own path may name folders that only the
// host sees; the root of the mount is then the container's, and is always looked at.
#include "upwash/base/group_limits.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace upwash {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream from(file);
  std::uint64_t value = 0;
  return from >> value ? std::optional(value) : std::nullopt;  // "max" and -1: no limit
}

/// The value behind a word, of a file with one pair a line.
std::uint64_t value_of(const fs::path& file, std::string_view word) {
  std::ifstream from(file);
  std::string name;
  for (std::uint64_t value = 0; from >> name >> value;) {
    if (name == word) return value;
  }
  return 0;
}

void limit_memory(group_limits& all, const fs::path& limit, const fs::path& used,
                  std::uint64_t reclaimable) {
  const auto most = number_in(limit);
  const auto now = number_in(used);
  if (!most || !now) return;
  const std::uint64_t held = *now > reclaimable ? *now - reclaimable : 0;
  all.free_bytes = std::min(all.free_bytes, *most > held ? *most - held : 0);
}

void limit_time(group_limits& all, double quota, double period) {
  if (quota > 0 && period > 0) all.processors = std::min(all.processors, quota / period);
}

void look_at(group_limits& all, const fs::path& group) {
  // Version 2. Caches of files give way; what lies in shared memory counts as used.
  limit_memory(all, group / "memory.max", group / "memory.current",
               value_of(group / "memory.stat", "inactive_file"));
  all.killed += value_of(group / "memory.events", "oom_kill");
  std::ifstream time(group / "cpu.max");
  double quota = 0;
  double period = 0;
  if (time >> quota >> period) limit_time(all, quota, period);
  // Version 1.
  limit_memory(all, group / "memory.limit_in_bytes", group / "memory.usage_in_bytes",
               value_of(group / "memory.stat", "total_inactive_file"));
  all.killed += value_of(group / "memory.oom_control", "oom_kill");
  const auto part = number_in(group / "cpu.cfs_quota_us");
  const auto whole = number_in(group / "cpu.cfs_period_us");
  if (part && whole) limit_time(all, static_cast<double>(*part), static_cast<double>(*whole));
}

/// The group and those around it, up to the root of its mount.
void look_up_from(group_limits& all, const fs::path& mount, fs::path group) {
  for (group = group.relative_path();; group = group.parent_path()) {
    look_at(all, group.empty() ? mount : mount / group);
    if (group.empty()) return;
  }
}

}  // namespace

group_limits limits_of(std::string_view membership, const fs::path& mounted) {
  group_limits all;
  while (!membership.empty()) {  // "number:controllers:path"; version 2 has no controllers
    const std::string_view line = membership.substr(0, membership.find('\n'));
    membership.remove_prefix(std::min(line.size() + 1, membership.size()));
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const fs::path group(line.substr(second + 1));
    if (controllers.empty()) {
      look_up_from(all, mounted, group);
      look_up_from(all, mounted / "unified", group);
    } else if (controllers == "memory" || controllers.find("cpu") != std::string_view::npos) {
      look_up_from(all, mounted / controllers, group);
    }
  }
  return all;
}

group_limits own_limits() {
  std::ifstream from("/proc/self/cgroup");
  const std::string membership{std::istreambuf_iterator<char>(from), {}};
  return limits_of(membership, "/sys/fs/cgroup");
}

std::uint64_t kills_for_memory() {
  return own_limits().killed + value_of("/proc/vmstat", "oom_kill");
}

int within_quota(int processors) {
  const double quota = own_limits().processors;
  if (quota >= processors) return processors;
  return std::clamp(static_cast<int>(quota), 1, std::max(processors, 1));
}

std::size_t available_memory() {
  constexpr std::string_view key = "MemAvailable:";
  std::size_t kib = SIZE_MAX / 1024;
  std::ifstream from("/proc/meminfo");
  for (std::string row; std::getline(from, row);) {
    if (row.starts_with(key)) kib = std::strtoull(row.c_str() + key.size(), nullptr, 10);
  }
  return std::min<std::size_t>(kib * 1024, own_limits().free_bytes);
}

}  // namespace upwash
