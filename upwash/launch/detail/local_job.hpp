// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The processes of a job on this machine, all or those of one node: pipes, deaths and signals in
// one poll. Who has started them learns of it and decides on the rest.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/conduit/rank_layout.hpp"
#include "upwash/launch/detail/attention.hpp"
#include "upwash/launch/detail/child.hpp"
#include "upwash/launch/detail/control_block.hpp"
#include "upwash/launch/detail/job_folder.hpp"
#include "upwash/launch/detail/job_map.hpp"
#include "upwash/launch/detail/output.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash::launch::detail {

/// How long a loop of a launcher sleeps at most: for what nothing wakes it for.
inline constexpr int poll_ms = 100;

/// A program that cannot be started.
inline constexpr int start_failed_status = 2;

/// Whoever has started processes here. Called by their loop.
class overseer {
 public:
  virtual ~overseer() = default;

  /// Descriptors to wait for beside those of the processes.
  virtual void add_descriptors(std::vector<pollfd>& /*fds*/) {}
  /// Each turn of the loop: at least each 100 ms, and when a descriptor is ready.
  virtual void look() = 0;
  /// Whether lines of this stream are taken now; otherwise they wait in the processes' pipes.
  [[nodiscard]] virtual bool takes_output(bool /*standard_error*/) const noexcept { return true; }
  /// Somebody asks by SIGUSR1 what the ranks are in.
  virtual void asked() = 0;
  /// The job has failed here: its processes are killed, and what they had printed is handed on.
  virtual void failed(int status, const std::string& why) = 0;
};

class local_job {
 public:
  /// The processes of `node`. All references outlive it. Throws `error` (system).
  local_job(const launch_options& options, const job_map& map, int node, output_sink& sink,
            overseer& above);
  ~local_job();
  local_job(const local_job&) = delete;
  local_job& operator=(const local_job&) = delete;

  /// From the start of the processes to the end of all that they have started. Returns the status
  /// of the failure that ended them, else the first that is not 0 of those that finished.
  int run();

  /// Kills all; the overseer is told why. Nothing when that has happened before.
  void end(int status, const std::string& why);
  /// Kills all on behalf of somebody who has told why.
  void stop(int status, const std::string& why);
  /// SIGUSR1 to the ranks that have a handler for it.
  void pass_on_question() const;
  /// A line of the launcher's own.
  void say(const std::string& text);
  void drain_all();
  /// Stops all ranks, or lets them go on: the job's terminal, or its head, was told to stop.
  void suspend();
  void resume();

  [[nodiscard]] const attention& signals() const noexcept { return attention_; }
  [[nodiscard]] const control_block& block() const noexcept { return block_; }
  /// Readable when processes have published something; -1 where all is on this machine.
  [[nodiscard]] int bell() const noexcept { return bell_; }
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] int status() const noexcept { return status_; }
  [[nodiscard]] int first_rank() const noexcept { return layout_.first_of(first_process_); }
  [[nodiscard]] int end_rank() const noexcept {
    return layout_.first_of(first_process_ + process_count_);
  }
  /// What is wrong when others have joined the job: a process has left that never did. Else empty.
  [[nodiscard]] std::string early_exit() const;
  /// " on host b", or nothing where all is on this machine.
  [[nodiscard]] const std::string& place() const noexcept { return place_; }

 private:
  [[nodiscard]] int process_of(std::size_t child) const noexcept {
    return first_process_ + static_cast<int>(child);
  }
  [[nodiscard]] const process_slot& slot_of(std::size_t child) const noexcept {
    return block_.slot(process_of(child));
  }
  [[nodiscard]] bool one_rank(std::size_t child) const noexcept {
    return layout_.count_of(process_of(child)) == 1;
  }
  [[nodiscard]] std::string name_of(std::size_t child) const;
  [[nodiscard]] std::string label_of(int process) const;
  [[nodiscard]] bool all_reaped() const noexcept;

  void start();
  void start_all(start_plan& plan, std::size_t number_at);
  void wait_for_events();
  void handle_signal(int signal);
  [[nodiscard]] std::string why_killed(const child& one, int signal) const;
  void handle_death(std::size_t child);
  void check_early_exits();
  void look_for_stopped();
  void send_to_groups(int signal) const;
  void forget_stops();
  void tell_stopped(std::size_t which, const siginfo_t& info);
  void clear_up() const;
  bool end_by_abort();

  const launch_options& options_;
  conduit::rank_layout layout_;
  int first_process_;
  int process_count_;  ///< to start here
  std::string place_;
  output_sink& sink_;
  overseer& above_;
  attention attention_;
  subreaper reaper_;
  std::vector<pid_t> spared_;  ///< the caller's own children
  job_folder folder_;
  int control_fd_;
  int bell_ = -1;
  control_block block_;
  std::vector<child> children_;
  std::vector<line_reader> readers_;  ///< two for each child
  std::vector<std::size_t> early_;    ///< exited with 0 before they joined the job
  std::uint64_t kills_before_;        ///< of the kernel's for lack of memory, when the job began
  duration told_since_;               ///< when a job was first seen to be failed by a deserter
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace upwash::launch::detail
