// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// UCX's queues between processes of a host are files in shared memory, which it unlinks once it
// has filled them. Where they are made, and how large they are.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

namespace upwash::conduit::ucx {

/// While an object lives, UCX that starts has these settings, unless the user has set them:
///
/// - The folder is the launcher's, which removes the file of a process that was killed before it
///   unlinked it. Without such a launcher (`path` is empty) UCX's default: /dev/shm.
/// - A queue begins with room for 128 packets, 1.1 MiB, and grows; UCX begins with 512.
class queue_files {
 public:
  explicit queue_files(const std::string& path) {
    if (is_private_folder(path)) set(0, path.c_str());
    set(1, "128");
  }
  ~queue_files() {
    for (std::size_t which = 0; which < names.size(); ++which) {
      if (set_.at(which)) unsetenv(names.at(which));
    }
  }
  queue_files(const queue_files&) = delete;
  queue_files& operator=(const queue_files&) = delete;

 private:
  static constexpr std::array<const char*, 2> names{"UCX_POSIX_DIR", "UCX_POSIX_RX_BUFS_GROW"};

  /// Makes the folder if it is not there. False for one of another user, or open to others.
  static bool is_private_folder(const std::string& path) {
    if (path.empty()) return false;
    mkdir(path.c_str(), S_IRWXU);
    struct stat info {};
    return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & 077U) == 0;
  }
  void set(std::size_t which, const char* value) {
    if (std::getenv(names.at(which)) != nullptr) return;
    set_.at(which) = setenv(names.at(which), value, 1) == 0;
  }

  std::array<bool, 2> set_{};
};

}  // namespace upwash::conduit::ucx
