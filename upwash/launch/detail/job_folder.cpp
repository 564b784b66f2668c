// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/job_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace upwash::launch::detail {

job_folder::job_folder() : path_(fmt::format("/dev/shm/upwash-{}-run-{}", geteuid(), getpid())) {}

/// Another user may have made a folder of this name: it stays.
job_folder::~job_folder() {
  const int fd = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  struct stat info {};
  DIR* files = fdopendir(fd);
  if (files == nullptr || fstat(fd, &info) != 0 || info.st_uid != geteuid()) {
    files == nullptr ? close(fd) : closedir(files);
    return;
  }
  while (const dirent* entry = readdir(files)) unlinkat(fd, entry->d_name, 0);
  closedir(files);
  rmdir(path_.c_str());
}

}  // namespace upwash::launch::detail
