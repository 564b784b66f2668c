// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files in memory that only their user may open. Plugins, which are not linked with the library,
// make such files too.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace upwash {

/// Creates a file in memory that closes on exec and can be sealed, with mode 0600: the kernel's
/// default is 0777. Returns its descriptor, or -1 with errno set. `name` is for /proc alone.
[[nodiscard]] inline int private_memfd(const char* name) noexcept {
  const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || fchmod(fd, S_IRUSR | S_IWUSR) == 0) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

}  // namespace upwash
