// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/standard_descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace upwash {

void open_standard_descriptors() noexcept {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free: this one. Programs that this process starts inherit it.
    if (open("/dev/null", O_RDWR) < 0) return;
  }
}

}  // namespace upwash
