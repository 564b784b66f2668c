// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The state of one rank behind the C names, and the one place where they find it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "interop/armci/detail/group_book.hpp"
#include "interop/armci/detail/mutex_set.hpp"
#include "interop/armci/detail/open_operations.hpp"
#include "upwash/core/global_ptr.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/team.hpp"
#include "upwash/onesided/semaphore.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash::armci {

/// Memory from ARMCI_Malloc: of the group that allocated it.
struct allocation {
  region memory;
  std::uint32_t group = 0;
  std::vector<std::uint64_t> bytes;  ///< of each member
};

/// The part that the last address was in: most programs ask for it again.
struct recent_part {
  int proc = -1;
  std::uintptr_t base = 0;
  std::uint64_t bytes = 0;
  global_ptr<std::byte> start;
};

/// Notices of a pair, as armci_notify counts them.
struct notice_counts {
  int sent = 0;
  int waited = 0;
};

/// Memory: that of what it holds, and 8 bytes a rank for notices.
class session {
 public:
  /// Collective, blocking: joins the job.
  session();
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();

  /// Of the rank whose code runs; null before it has joined. O(1), no lock.
  [[nodiscard]] static session* current() noexcept;
  /// The same; joins where it has not. Collective then, blocking. Throws `error`.
  [[nodiscard]] static session& in_job();
  /// The same between ARMCI_Init and ARMCI_Finalize; throws `refusal` outside.
  [[nodiscard]] static session& in_armci();
  /// Collective: leaves the job, for good.
  static void leave();

  /// Collective, blocking: what ARMCI has at each rank, and that no later call needs its owner.
  void begin();

  /// Where an address of a rank lies; null where that rank has no such memory. O(1) in the part of
  /// the last one, else O(log allocations).
  [[nodiscard]] global_ptr<std::byte> place(int proc, const void* address) {
    const std::uintptr_t within = reinterpret_cast<std::uintptr_t>(address) - recent_.base;
    if (proc == recent_.proc && within < recent_.bytes) [[likely]]
      return recent_.start + static_cast<std::ptrdiff_t>(within);
    return find_place(proc, address);
  }
  void keep(const allocation& made) { allocations.emplace(made.memory.id().bits(), made); }
  /// Collective over its group.
  void drop(std::uint64_t region);

  attached_job joined;
  job& here;
  const team world;
  const int rank;
  const int size;

  int begun = 0;  ///< calls of ARMCI_Init without one of ARMCI_Finalize

  std::map<std::uint64_t, allocation> allocations;  ///< by the region's bits
  std::unordered_map<const void*, std::unique_ptr<std::byte[]>> local_memory;
  open_operations open;
  group_book groups;
  std::unique_ptr<mutex_set> mutexes;
  notifications notices;
  std::vector<notice_counts> counts;  ///< by rank

 private:
  [[nodiscard]] global_ptr<std::byte> find_place(int proc, const void* address);

  recent_part recent_;
};

/// So that a later operation finds the memory where it is loaded and stored, whatever its owner
/// does then. Collective over its team. O(size) messages a rank.
void fetch_keys(const region& of);

}  // namespace upwash::armci
