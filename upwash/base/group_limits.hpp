// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The resources that a container or a batch system leaves to this process: the limits of its
// control groups (versions 1 and 2) and of all enclosing groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace upwash {

class control_groups {
 public:
  /// `membership` is the content of /proc/PID/cgroup; `mounted` is the mount point of the groups'
  /// file systems.
  control_groups(std::string membership, std::filesystem::path mounted);
  [[nodiscard]] static control_groups of_this_process();

  // Each function reads two or three files of each group, some tens of microseconds in the kernel.
  // A file that cannot be read sets no limit.

  /// Returns the bytes of memory that may still be taken.
  [[nodiscard]] std::uint64_t free_bytes() const;
  /// Returns the processor time allowed for each unit of time.
  [[nodiscard]] double processors() const;
  /// Returns the number of processes that were killed for lack of memory since the groups began.
  [[nodiscard]] std::uint64_t killed() const;

 private:
  template <class Look>
  void visit(std::string_view controller, const Look& look) const;

  std::string membership_;
  std::filesystem::path mounted_;
};

/// Returns the kernel's estimate of the bytes that this process can have without swapping.
[[nodiscard]] std::size_t available_memory();

/// Returns a number that grows whenever the kernel kills a process for lack of memory, in the
/// groups of this process or on the whole machine. 0 if this is unknown.
[[nodiscard]] std::uint64_t kills_for_memory();

/// Returns how many of `processors` the quota of this process allows; at least 1.
[[nodiscard]] int within_quota(int processors);

}  // namespace upwash
