// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a container, or a batch system, leaves of the machine to this process: the limits of its
// control groups (versions 1 and 2) and of all groups around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace upwash {

class control_groups {
 public:
  /// `membership` is what /proc/PID/cgroup says, `mounted` where the groups' file systems are.
  control_groups(std::string membership, std::filesystem::path mounted);
  [[nodiscard]] static control_groups of_this_process();

  // Each reads two or three files of each group, some tens of microseconds in the kernel. What
  // cannot be read limits nothing.

  /// Memory that may still be taken.
  [[nodiscard]] std::uint64_t free_bytes() const;
  /// Of processor time for each of time.
  [[nodiscard]] double processors() const;
  /// Processes that were killed for lack of memory since the groups began.
  [[nodiscard]] std::uint64_t killed() const;

 private:
  template <class Look>
  void visit(std::string_view controller, const Look& look) const;

  std::string membership_;
  std::filesystem::path mounted_;
};

/// Bytes that this process can have without swapping, as the kernel estimates.
[[nodiscard]] std::size_t available_memory();

/// A number that grows whenever the kernel kills a process for lack of memory, in the groups of
/// this process or on the whole machine. 0 where nobody tells.
[[nodiscard]] std::uint64_t kills_for_memory();

/// Processors that the quota of this process leaves of `processors`; at least 1.
[[nodiscard]] int within_quota(int processors);

}  // namespace upwash
