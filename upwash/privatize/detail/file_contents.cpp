// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/privatize/detail/file_contents.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace upwash::privatize {

std::vector<std::byte> contents_of(const std::string& path) {
  std::vector<std::byte> bytes;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return bytes;
  struct stat facts {};
  if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)) {
    bytes.resize(static_cast<std::size_t>(facts.st_size));
  }
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t part = read(file, bytes.data() + done, bytes.size() - done);
    if (part <= 0) break;
    done += static_cast<std::size_t>(part);
  }
  bytes.resize(done);
  close(file);
  return bytes;
}

}  // namespace upwash::privatize
