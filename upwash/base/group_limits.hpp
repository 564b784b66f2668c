// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a container, or a batch system, leaves of the machine to this process: the limits of its
// control groups (versions 1 and 2) and of all groups around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace upwash {

struct group_limits {
  std::uint64_t free_bytes = UINT64_MAX;  ///< memory that may still be taken
  double processors = 1e9;                ///< of processor time for each of time
  std::uint64_t killed = 0;               ///< processes, for lack of memory, since the groups began
};

/// `membership` is what /proc/PID/cgroup says, `mounted` where the groups' file systems are. What
/// cannot be read limits nothing.
[[nodiscard]] group_limits limits_of(std::string_view membership,
                                     const std::filesystem::path& mounted);

/// Of this process.
[[nodiscard]] group_limits own_limits();

/// Bytes that this process can have without swapping, as the kernel estimates.
[[nodiscard]] std::size_t available_memory();

/// A number that grows whenever the kernel kills a process for lack of memory, in the groups of
/// this process or on the whole machine. 0 where nobody tells.
[[nodiscard]] std::uint64_t kills_for_memory();

/// Processors that the quota of this process leaves of `processors`; at least 1.
[[nodiscard]] int within_quota(int processors);

}  // namespace upwash
