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
#include <utility>

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

enum class version { one, two };

/// The group and those around it, up to the root of its mount.
template <class Look>
void look_up_from(const fs::path& mount, const fs::path& group, version which, const Look& look) {
  for (fs::path each = group.relative_path();; each = each.parent_path()) {
    look(each.empty() ? mount : mount / each, which);
    if (each.empty()) return;
  }
}

bool names(std::string_view controllers, std::string_view one) {
  while (!controllers.empty()) {
    const std::string_view next = controllers.substr(0, controllers.find(','));
    if (next == one) return true;
    controllers.remove_prefix(std::min(next.size() + 1, controllers.size()));
  }
  return false;
}

std::uint64_t free_of(const fs::path& limit, const fs::path& used, const fs::path& parts,
                      std::string_view reclaimed) {
  const auto most = number_in(limit);
  if (!most) return UINT64_MAX;
  const auto now = number_in(used);
  if (!now) return UINT64_MAX;
  // Caches of files give way; what lies in shared memory counts as used.
  const std::uint64_t reclaimable = value_of(parts, reclaimed);
  const std::uint64_t held = *now > reclaimable ? *now - reclaimable : 0;
  return *most > held ? *most - held : 0;
}

constexpr double no_quota = 1e9;

double share(double quota, double period) {
  return quota > 0 && period > 0 ? quota / period : no_quota;
}

double quota_of(const fs::path& group, version which) {
  if (which == version::two) {
    std::ifstream time(group / "cpu.max");
    double quota = 0;
    double period = 0;
    return time >> quota >> period ? share(quota, period) : no_quota;
  }
  const auto part = number_in(group / "cpu.cfs_quota_us");
  const auto whole = number_in(group / "cpu.cfs_period_us");
  return part && whole ? share(static_cast<double>(*part), static_cast<double>(*whole)) : no_quota;
}

}  // namespace

control_groups::control_groups(std::string membership, fs::path mounted)
    : membership_(std::move(membership)), mounted_(std::move(mounted)) {}

control_groups control_groups::of_this_process() {
  std::ifstream from("/proc/self/cgroup");
  return {std::string{std::istreambuf_iterator<char>(from), {}}, "/sys/fs/cgroup"};
}

/// look(folder, version) for each group that a controller has. In version 1 each has groups of its
/// own; "number:controllers:path" is a line of the membership, in version 2 without controllers.
template <class Look>
void control_groups::visit(std::string_view controller, const Look& look) const {
  for (std::string_view left = membership_; !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const fs::path group(line.substr(second + 1));
    if (controllers.empty()) {
      look_up_from(mounted_, group, version::two, look);
      look_up_from(mounted_ / "unified", group, version::two, look);
    } else if (names(controllers, controller)) {
      look_up_from(mounted_ / controllers, group, version::one, look);
    }
  }
}

std::uint64_t control_groups::free_bytes() const {
  std::uint64_t least = UINT64_MAX;
  visit("memory", [&](const fs::path& group, version which) {
    const std::uint64_t here =
        which == version::two
            ? free_of(group / "memory.max", group / "memory.current", group / "memory.stat",
                      "inactive_file")
            : free_of(group / "memory.limit_in_bytes", group / "memory.usage_in_bytes",
                      group / "memory.stat", "total_inactive_file");
    least = std::min(least, here);
  });
  return least;
}

double control_groups::processors() const {
  double least = no_quota;
  visit("cpu", [&](const fs::path& group, version which) {
    least = std::min(least, quota_of(group, which));
  });
  return least;
}

std::uint64_t control_groups::killed() const {
  std::uint64_t all = 0;
  visit("memory", [&](const fs::path& group, version which) {
    all += value_of(group / (which == version::two ? "memory.events" : "memory.oom_control"),
                    "oom_kill");
  });
  return all;
}

std::uint64_t kills_for_memory() {
  return control_groups::of_this_process().killed() + value_of("/proc/vmstat", "oom_kill");
}

int within_quota(int processors) {
  const double quota = control_groups::of_this_process().processors();
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
  return std::min<std::size_t>(kib * 1024, control_groups::of_this_process().free_bytes());
}

}  // namespace upwash
