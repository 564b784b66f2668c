// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processes of a node watch each other in a ring: launchers name a dead one late, wrongly or
// not at all, and a stopped one never.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <semaphore>
#include <string>

namespace upwash::conduit::foreign {

/// What a process leaves for its watcher, which reads it also when the process is gone.
struct life_sign {
  pthread_mutex_t held;       ///< by a thread of the process for as long as it lives
  std::atomic<bool> settled;  ///< the process has said why it ends, or has left its job
};

/// A process as others see it.
struct watched_process {
  pid_t pid = 0;
  std::int32_t sign = -1;     ///< its descriptor of its life_sign; -1: there is none
  std::uint64_t started = 0;  ///< process_started
};

/// Whom a watch tells, from its thread.
class watch_listener {
 public:
  /// The process has died, without a word. Once, the last call.
  virtual void died(const std::string& text) noexcept = 0;
  /// It was stopped, or goes on.
  virtual void changed(const std::string& text) noexcept = 0;

 protected:
  ~watch_listener() = default;
};

/// This process in such a ring, for as long as it lives: never freed. Its thread sleeps, and looks
/// twice a second whether the neighbour was stopped.
class neighbor_watch {
 public:
  explicit neighbor_watch(watch_listener& listener) : listener_(listener) {}
  neighbor_watch(const neighbor_watch&) = delete;
  neighbor_watch& operator=(const neighbor_watch&) = delete;

  /// Lets others watch this process. Once.
  [[nodiscard]] watched_process show_self();
  /// From now on the end of this process needs no explanation.
  void settle() noexcept;

  /// Once. `name`: of the process, for texts; `where`: behind its pid there, as " on host b". Where
  /// the machine does not let it, it says so in the log.
  void watch(const watched_process& neighbor, const std::string& name,
             const std::string& where = {});

 private:
  void keep_watching();
  void look_whether_stopped();

  watch_listener& listener_;
  life_sign* own_ = nullptr;
  std::binary_semaphore has_neighbor_{0};
  pid_t pid_ = 0;     ///< the neighbour's
  std::string name_;  ///< with its pid
  std::string where_;
  life_sign* sign_ = nullptr;  ///< the neighbour's
  bool stopped_ = false;
};

}  // namespace upwash::conduit::foreign
