// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creation, removal and sweeping happen under flock on the object that the name stands for, so a
// process never removes the object of a newer job: whoever gets the lock looks whether the name
// still stands for what it has locked.
#include "upwash/launch/detail/rendezvous.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::launch::detail {
namespace {

constexpr const char* directory = "/dev/shm";

class locked_file {
 public:
  locked_file(const std::string& name, int flags) : fd_(shm_open(name.c_str(), flags, 0600)) {
    if (fd_ >= 0) flock(fd_, LOCK_EX);
  }
  ~locked_file() {
    if (fd_ < 0) return;
    flock(fd_, LOCK_UN);  // closing does not unlock while the file is mapped
    close(fd_);
  }
  locked_file(const locked_file&) = delete;
  locked_file& operator=(const locked_file&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool empty() const { return status().st_size == 0; }

  /// Whether `name` still stands for this file.
  [[nodiscard]] bool current(const std::string& name) const {
    struct stat now {};
    if (stat((directory + name).c_str(), &now) != 0) return false;
    const struct stat mine = status();
    return now.st_ino == mine.st_ino && now.st_dev == mine.st_dev;
  }

 private:
  [[nodiscard]] struct stat status() const {
    struct stat info {};
    fstat(fd_, &info);
    return info;
  }
  int fd_;
};

std::string prefix() { return fmt::format("/upwash-{}-", getuid()); }

std::string object_name(const identity& self) {
  // FNV-1a: the job's own text may hold any character and be of any length.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : self.job) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("{}{:016x}", prefix(), hash);
}

bool stale(const control_header& header) {
  return process_started(header.creator) != header.creator_started;
}

/// Under the lock: an object that nobody will complete any more.
bool stale(const locked_file& file) {
  if (file.empty()) return false;
  try {
    return stale(control_block::attach(file.fd()).header());
  } catch (const error&) {
    return true;  // of another version, and so of another job
  }
}

void sweep() {
  DIR* folder = opendir(directory);
  if (folder == nullptr) return;
  const std::string mine = prefix().substr(1);
  while (const dirent* entry = readdir(folder)) {
    if (std::strncmp(entry->d_name, mine.c_str(), mine.size()) != 0) continue;
    const std::string name = std::string("/") + entry->d_name;
    const locked_file file(name, O_RDWR | O_CLOEXEC);
    if (file.fd() >= 0 && file.current(name) && stale(file)) shm_unlink(name.c_str());
  }
  closedir(folder);
}

control_block checked(control_block block, const identity& self, int ranks_per_process) {
  const control_header& header = block.header();
  if (block.processes() == self.processes &&
      header.ranks_per_process == static_cast<std::uint32_t>(ranks_per_process)) {
    return block;
  }
  throw error(error_kind::environment,
              fmt::format("job '{}' of {}: this process was told {} processes with {} ranks each, "
                          "another one {} with {}; the knob ranks_per_process and the size must "
                          "be the same for all",
                          self.job, self.launcher, self.processes, ranks_per_process,
                          block.processes(), header.ranks_per_process));
}

}  // namespace

control_block meet(const identity& self, int ranks_per_process) {
  sweep();
  const std::string name = object_name(self);
  for (;;) {
    const locked_file file(name, O_RDWR | O_CREAT | O_CLOEXEC);
    if (file.fd() < 0) {
      throw system_error(fmt::format("cannot open shared memory object {}", name), errno);
    }
    if (!file.current(name)) continue;
    if (file.empty()) return control_block::create(file.fd(), self.processes, ranks_per_process);
    if (!stale(file)) return checked(control_block::attach(file.fd()), self, ranks_per_process);
    shm_unlink(name.c_str());
  }
}

void leave_name(const identity& self, const control_block& block) {
  if (block.header().attached.load() != static_cast<std::uint32_t>(self.processes)) return;
  const std::string name = object_name(self);
  const locked_file file(name, O_RDWR | O_CLOEXEC);
  if (file.fd() < 0 || !file.current(name) || file.empty()) return;
  // Another job of the same name may have begun: its block has another creator or fewer arrivals.
  const control_block now = control_block::attach(file.fd());
  if (now.header().attached.load() == static_cast<std::uint32_t>(self.processes)) {
    shm_unlink(name.c_str());
  }
}

}  // namespace upwash::launch::detail
