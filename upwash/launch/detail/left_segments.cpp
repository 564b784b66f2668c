// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/left_segments.hpp"

#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

#include <algorithm>

namespace upwash::launch::detail {

void remove_segments_of(std::span<const pid_t> makers) noexcept {
  shm_info machine{};
  const int highest = shmctl(0, SHM_INFO, reinterpret_cast<shmid_ds*>(&machine));
  for (int place = 0; place <= highest; ++place) {
    shmid_ds found{};
    const int id = shmctl(place, SHM_STAT, &found);
    if (id < 0 || found.shm_perm.__key != IPC_PRIVATE || found.shm_nattch != 0) continue;
    if (found.shm_perm.uid != geteuid()) continue;
    if (std::ranges::find(makers, found.shm_cpid) == makers.end()) continue;
    shmctl(id, IPC_RMID, nullptr);
  }
}

}  // namespace upwash::launch::detail
