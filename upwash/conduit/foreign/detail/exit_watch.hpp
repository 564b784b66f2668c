// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The launcher's library in this process, and how the process ends: launchers do not all notice one
// that leaves a job that the others are still in.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/foreign/detail/host_watch.hpp"
#include "upwash/conduit/foreign/detail/neighbor_watch.hpp"
#include "upwash/conduit/foreign/foreign_engine.hpp"

namespace upwash::conduit::foreign {

/// One a process, from the library's start on; lives as long as the process, as what that began
/// does.
class exit_watch : private watch_listener, private host_listener {
 public:
  /// Never freed.
  [[nodiscard]] static exit_watch& make(std::unique_ptr<foreign_engine> engine);
  exit_watch(const exit_watch&) = delete;
  exit_watch& operator=(const exit_watch&) = delete;

  [[nodiscard]] foreign_engine& engine() noexcept { return *engine_; }
  /// A name that only this job has, and one of this process for messages: "rank 3", "ranks 4 to 7".
  void set_names(std::string job, std::string self) {
    job_ = std::move(job);
    name_ = std::move(self);
  }

  /// For the process that watches this one.
  [[nodiscard]] watched_process show_self() { return neighbor_.show_self(); }
  /// From now on, until this process leaves, the death of that one ends the job, with a line.
  void watch(const watched_process& neighbor, const std::string& name, const std::string& where) {
    neighbor_.watch(neighbor, name, where);
  }

  /// This process watches for its host, number `self` of `count`: where others come to, for
  /// `host_watch::begin`. `here`: the processes of the host, which end with it.
  [[nodiscard]] meeting_place watch_hosts(int self, int count, duration limit,
                                          std::vector<watched_process> here);
  [[nodiscard]] host_watch& hosts() noexcept { return *hosts_; }

  /// Where the launcher on this machine reads which host is lost; null: nowhere. It must be there
  /// until another one is set.
  void set_board(launcher_board* at) noexcept;

  /// The process has left its job in good order.
  void left() noexcept;
  /// Says why, unless another process of the node has, and ends the job. An empty text says
  /// nothing.
  [[noreturn]] void end_job(int rank, int status, std::string_view why) noexcept;
  /// Says why, and ends the job when the process does, with status 1 at least, or in a second.
  void end_job_soon(int rank, std::string_view why) noexcept;

 private:
  enum class state { inside, deserting, outside };

  explicit exit_watch(std::unique_ptr<foreign_engine> engine) : engine_(std::move(engine)) {}
  [[noreturn]] void abort(int status) noexcept;
  static void note_status(int status, void* self);
  static void at_end(void* self);

  // watch_listener
  void died(const std::string& text) noexcept override;
  void changed(const std::string& text) noexcept override;

  // host_listener
  void lost(const std::string& text, bool found_here) noexcept override;
  void ended(const std::string& text) noexcept override;
  void end_host() noexcept;

  std::unique_ptr<foreign_engine> engine_;
  pid_t pid_ = getpid();
  std::string job_ = std::to_string(getpid());  ///< until all have met
  std::string name_ = "a process";
  std::atomic<state> now_ = state::inside;
  int status_ = 0;  ///< that the process exits with
  neighbor_watch neighbor_{*this};
  std::unique_ptr<host_watch> hosts_;  ///< in one process of each host
  std::vector<watched_process> here_;  ///< the processes of this host, in that one
  std::mutex board_lock_;
  launcher_board* board_ = nullptr;
};

}  // namespace upwash::conduit::foreign
