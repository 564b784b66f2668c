// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a foreign launcher prints of a job: the processes' lines, and comments of its own. Of all
// that processes and launcher say when a job fails, one line is shown: the one that knows why.
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
  /// `manner`: null: nothing is known of the launcher. `prefix`: lines are shown with their rank
  /// before them.
  told_lines(const conduit::launcher_manner* manner, const job_map& map, bool prefix,
             output_sink& to)
      : manner_(manner), map_(map), layout_(map.layout()), prefix_(prefix), to_(to) {}

  void line(int rank, bool standard_error, std::string_view text) override;

  /// "rank 3", "ranks 4 to 7".
  [[nodiscard]] std::string name_of(int process) const;
  /// "rank 3 was", "ranks 4 to 7 were", for a sentence on how a process ended; -1: it is not known.
  [[nodiscard]] std::string victim(int process) const;

  /// "host b, ranks 2 to 3,", or "host b" where it is none of the job's.
  [[nodiscard]] std::string host_named(std::string_view host) const;

  /// A line that tells of a death, or of a connection to a host that has ended, is held back for a
  /// moment: where the launcher says that a host is gone, it was the launcher that ended these.
  /// Where it says that connections to another host have ended, that host's end was the process's
  /// end too. Where it says that a process failed on the host of the first death, that death was
  /// the first thing of all; where none has told of it, or only of deaths on other hosts, it is the
  /// launcher's to tell, and what is held is dropped in the end.
  void show_held(duration if_older_than = {});
  /// Where what is held tells of a host whose connection has ended, as the launcher ends them all,
  /// `first` is the line of the first one that the launcher's host has lost; empty: none.
  void put_right(std::string_view first);
  void drop_held() noexcept {
    held_.clear();
    first_death_.clear();
  }
  /// Nothing more is shown.
  void go_deaf() noexcept { deaf_ = true; }
  [[nodiscard]] bool said_why() const noexcept { return said_why_; }
  /// One of them has said that the job failed.
  [[nodiscard]] bool said_end() const noexcept { return said_end_; }
  /// One of them has said that a host is lost.
  [[nodiscard]] bool said_lost() const noexcept { return said_lost_; }
  /// What the launcher has said of its own.
  [[nodiscard]] const std::string& comments() const noexcept { return comments_; }

 private:
  /// The node, another than that of the rank of which the held line tells, to whose host
  /// connections have ended; -1: none is known.
  [[nodiscard]] int node_before_held() const;
  /// The node of the process that failed, by the launcher's word; -1: it has said nothing.
  [[nodiscard]] int failed_node() const;
  /// Of the first rank that a line names; -1: it names none.
  [[nodiscard]] int node_in(std::string_view line) const;
  [[nodiscard]] std::string name_of_node(int node) const;

  const conduit::launcher_manner* manner_;
  const detail::job_map& map_;
  const conduit::rank_layout layout_;
  bool prefix_;
  output_sink& to_;
  std::array<bool, 2> inside_{};  ///< of standard output, and error
  bool said_why_ = false;
  bool said_end_ = false;
  bool said_lost_ = false;
  std::string held_;
  std::string first_death_;  ///< the first line that tells of a rank's
  duration held_since_;
  bool deaf_ = false;
  std::string comments_;
};

}  // namespace upwash::launch::detail
