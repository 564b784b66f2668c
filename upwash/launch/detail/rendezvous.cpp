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

#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/process_facts.hpp"

namespace upwash::launch::detail {
namespace {

constexpr const char* directory = "/dev/shm";
constexpr std::size_t readable_length = 40;
const duration most_patience = duration::from_seconds(1);  // of one that leaves

/// An object of the user's own, open and locked. Anybody may make objects here, and lock what he
/// can open: what is not this user's alone is not touched, and no lock is waited for without end.
class locked_file {
 public:
  enum class answer : std::uint8_t { locked, absent, foreign, busy };

  /// Waits for the lock until `deadline`.
  locked_file(const std::string& name, int flags, duration deadline)
      : fd_(shm_open(name.c_str(), flags, 0600)), refusal_(errno) {
    if (fd_ < 0) {
      if (refusal_ == EACCES) answer_ = answer::foreign;
      return;
    }
    answer_ = !own() ? answer::foreign : lock(deadline) ? answer::locked : answer::busy;
  }
  ~locked_file() {
    if (fd_ < 0) return;
    if (answer_ == answer::locked) flock(fd_, LOCK_UN);  // closing does not while it is mapped
    close(fd_);
  }
  locked_file(const locked_file&) = delete;
  locked_file& operator=(const locked_file&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] answer what() const { return answer_; }
  [[nodiscard]] int refusal() const { return refusal_; }  ///< errno, when absent
  [[nodiscard]] bool empty() const { return status().st_size == 0; }

  [[nodiscard]] std::uint64_t inode() const { return status().st_ino; }

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
  /// A file of this user that no other can open, under one name; none once it has been removed.
  [[nodiscard]] bool own() const {
    const struct stat info = status();
    return S_ISREG(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 0077) == 0 &&
           info.st_nlink <= 1;
  }
  [[nodiscard]] bool lock(duration deadline) const {
    while (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK || steady_now() >= deadline) return false;
      const timespec pause{0, 200'000};
      nanosleep(&pause, nullptr);
    }
    return true;
  }

  int fd_;
  int refusal_;
  answer answer_ = answer::absent;
};

std::string prefix() { return fmt::format("/upwash-{}-", geteuid()); }

/// Nobody lives who has come. While somebody does, the job is his: whoever joins him learns of the
/// dead, and does not wait in vain in a job of his own.
bool stale(const control_block& block) {
  const control_header& header = block.header();
  if (process_lives(header.creator, header.creator_started)) return false;
  for (int p = 0; p < block.processes(); ++p) {
    const process_slot& slot = block.slot(p);
    const int pid = slot.pid.load();
    if (pid != 0 && process_lives(pid, slot.started)) return false;
  }
  return true;
}

/// Under the lock: an object that nobody will complete any more. An empty one has a maker that
/// died, or that waits for the lock and then sees that its object has lost the name.
bool stale(const locked_file& file) {
  if (file.empty()) return true;
  try {
    return stale(control_block::attach(file.fd()));
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
    const locked_file file(name, O_RDWR | O_CLOEXEC, steady_now());  // who holds it, uses it
    const bool free = file.what() == locked_file::answer::locked;
    if (free && file.current(name) && stale(file)) shm_unlink(name.c_str());
  }
  closedir(folder);
}

[[noreturn]] void refuse(const std::string& name, const locked_file& file, duration patience) {
  switch (file.what()) {
    case locked_file::answer::foreign:
      throw error(
          error_kind::environment,
          fmt::format("{}{} is not of this user alone (another owner, open to others, or no "
                      "plain file): somebody else uses this job's name, and processes do "
                      "not meet there; give the job another one (UPWASH_JOB_ID)",
                      directory, name));
    case locked_file::answer::busy:
      throw error(error_kind::environment,
                  fmt::format("{}{} is locked for more than {:g} s (start_timeout): a process of "
                              "this job is stopped while it starts, or another program holds it",
                              directory, name, patience.seconds()));
    default:
      throw system_error(fmt::format("cannot open shared memory object {}", name), file.refusal());
  }
}

control_block checked(control_block block, const identity& self, int ranks) {
  if (block.processes() == self.processes && block.ranks() == ranks) return block;
  throw error(error_kind::environment,
              fmt::format("job '{}' of {}: this process was told {} processes with {} ranks each, "
                          "another one {} with {}; the knob ranks_per_process and the size must "
                          "be the same for all",
                          self.job, self.launcher, self.processes, ranks / self.processes,
                          block.processes(), block.ranks() / block.processes()));
}

}  // namespace

std::string object_name(const identity& self) {
  // FNV-1a: the job's own text may hold any character and be of any length.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : self.job) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::string readable = self.job.substr(0, readable_length);
  for (char& c : readable) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  }
  return fmt::format("{}{}-{:016x}", prefix(), readable, hash);
}

meeting meet(const identity& self, int ranks, duration patience) {
  sweep();
  const std::string name = object_name(self);
  const duration deadline = steady_now() + patience;
  for (;;) {
    const locked_file file(name, O_RDWR | O_CREAT | O_CLOEXEC, deadline);
    if (file.what() != locked_file::answer::locked) refuse(name, file, patience);
    if (!file.current(name)) continue;
    meeting_place place(name, file.inode());
    if (file.empty()) {
      try {
        return {control_block::create(file.fd(), job_map::here(ranks, self.processes)),
                std::move(place)};
      } catch (...) {
        shm_unlink(name.c_str());  // ours, under the lock: a full file system keeps no name of it
        throw;
      }
    }
    if (!stale(file)) {
      return {checked(control_block::attach(file.fd()), self, ranks), std::move(place)};
    }
    shm_unlink(name.c_str());
  }
}

void meeting_place::close() noexcept {
  if (name_.empty()) return;
  const locked_file file(name_, O_RDWR | O_CLOEXEC, steady_now() + most_patience);
  const bool locked = file.what() == locked_file::answer::locked;
  if (locked && file.inode() == inode_ && file.current(name_)) shm_unlink(name_.c_str());
  name_.clear();
}

}  // namespace upwash::launch::detail
