// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The output of an external launcher for a job: the lines of the processes, and the launcher's own
// comments. If a job fails, one line of all this output is shown: the line that states the reason.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "upwash/base/duration.hpp"
#include "upwash/conduit/rank_layout.hpp"
#include "upwash/conduit/start_command.hpp"
#include "upwash/launch/detail/job_map.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash::launch::detail {

class told_lines final : public output_sink {
 public:
  /// `manner`: null if nothing is known of the launcher. `prefix`: lines are shown with their rank
  /// before them.
  told_lines(const conduit::launcher_manner* manner, const job_map& map, bool prefix,
             output_sink& to)
      : manner_(manner), map_(map), layout_(map.layout()), prefix_(prefix), to_(to) {}

  void line(int rank, bool standard_error, std::string_view text) override;

  /// Returns "rank 3", "ranks 4 to 7".
  [[nodiscard]] std::string name_of(int process) const;
  /// Returns "rank 3 was", "ranks 4 to 7 were", for a sentence on the end of a process; -1:
  /// unknown.
  [[nodiscard]] std::string victim(int process) const;

  /// Returns "host b, ranks 2 to 3,", or "host b" if it is no host of the job.
  [[nodiscard]] std::string host_named(std::string_view host) const;

  /// Shows the line that is held back. A line that reports a death, or the end of a connection to a
  /// host, is held back for a moment. If the launcher says that a host is gone, the launcher has
  /// ended these processes. If it says that connections to another host have ended, the end of that
  /// host also ended the process. If it says that a process failed on the host of the first death,
  /// that death was the first event. If no line reported that failure, or only deaths on other
  /// hosts were reported, the launcher reports it, and the held line is dropped in the end.
  void show_held(duration if_older_than = {});
  /// Where what is held tells of a host whose connection has ended, as the launcher ends them all,
  /// `first` is the line of the first one that the launcher's host has lost; empty: none.
  void put_right(std::string_view first);
  void drop_held() noexcept {
    held_.clear();
    first_death_.clear();
  }
  /// Shows nothing more.
  void go_deaf() noexcept { deaf_ = true; }
  [[nodiscard]] bool said_why() const noexcept { return said_why_; }
  /// Returns whether a line has said that the job failed.
  [[nodiscard]] bool said_end() const noexcept { return said_end_; }
  /// Returns whether a line has said that a host is lost.
  [[nodiscard]] bool said_lost() const noexcept { return said_lost_; }
  /// Returns the launcher's own output.
  [[nodiscard]] const std::string& comments() const noexcept { return comments_; }

 private:
  /// Returns the node to whose host connections have ended, if it differs from the node of the held
  /// line's rank; -1: unknown.
  [[nodiscard]] int node_before_held() const;
  /// Returns the node of the failed process according to the launcher; -1: not stated.
  [[nodiscard]] int failed_node() const;
  /// Returns the node of the first rank that a line names; -1: it names none.
  [[nodiscard]] int node_in(std::string_view line) const;
  [[nodiscard]] std::string name_of_node(int node) const;

  const conduit::launcher_manner* manner_;
  const detail::job_map& map_;
  const conduit::rank_layout layout_;
  bool prefix_;
  output_sink& to_;
  std::array<bool, 2> inside_{};  ///< for standard output and error
  bool said_why_ = false;
  bool said_end_ = false;
  bool said_lost_ = false;
  std::string held_;
  std::string first_death_;  ///< the first line about a rank's death
  duration held_since_;
  bool deaf_ = false;
  std::string comments_;
};

}  // namespace upwash::launch::detail
