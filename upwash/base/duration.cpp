// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/duration.hpp"

#include <ctime>

namespace upwash {

duration steady_now() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return duration::from_ps(now.tv_sec * 1'000'000'000'000 + now.tv_nsec * 1'000);
}

}  // namespace upwash
