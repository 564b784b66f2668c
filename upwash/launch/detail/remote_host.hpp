// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One host of a job as `upwash run` sees it: the remote shell to the host, and the agent that the
// shell has started.
#pragma once

#include <poll.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/child.hpp"
#include "upwash/launch/detail/frame_link.hpp"
#include "upwash/launch/detail/output.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash::launch::detail {

/// The reason why a job cannot begin or continue.
struct trouble {
  int status = 1;
  std::string why;
};

class remote_host final : private output_sink {
 public:
  enum class phase {
    connecting,  ///< the agent has not answered
    ready,       ///< the agent has answered
    running,     ///< the agent has the order to start the processes
    done,        ///< all processes have ended
  };

  /// Starts the remote shell. `sink` takes the output of remote shell and agent. `options` and
  /// `sink` must outlive this object. Throws `error` (environment) if the command does not exist.
  remote_host(const launch_options& options, std::string name, output_sink& sink);
  /// Kills the remote shell if it runs.
  ~remote_host() override;
  remote_host(const remote_host&) = delete;
  remote_host& operator=(const remote_host&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] frame_link& link() noexcept { return *link_; }
  [[nodiscard]] phase now_in() const noexcept { return phase_; }
  /// Returns whether the remote shell has ended and all its output is read.
  [[nodiscard]] bool gone() const noexcept { return shell_.reaped; }

  void add_descriptors(std::vector<pollfd>& fds) const;
  /// Reads the available input. Called each turn.
  void look(duration now);
  /// Returns the failure here, if any. `status` is 2 before the start, then 1.
  [[nodiscard]] std::optional<trouble> wrong();
  /// Returns the next frame of the agent. Throws `error` (fault) for bytes that are no frame.
  [[nodiscard]] std::optional<frame> next() { return link_->next(); }

  void started() noexcept { phase_ = phase::running; }
  void done() noexcept;
  /// Returns whether the agent has ended long ago but the remote shell has not.
  [[nodiscard]] bool overdue() const noexcept {
    return phase_ == phase::done && !gone() && due_.lost();
  }
  /// Ends the remote shell, when nothing more is needed from the host.
  void kill() noexcept;

 private:
  void line(int rank, bool standard_error, std::string_view text) override;
  void start_shell();
  void read_greeting();
  [[nodiscard]] std::string how_it_ended() const;

  const launch_options& options_;
  std::string name_;
  std::string label_;  ///< for lines of no rank
  output_sink& sink_;
  std::vector<std::string> words_;  ///< command that starts the agent
  child shell_;
  greeting_finder greeting_;
  std::optional<frame_link> link_;
  line_reader errors_;
  std::vector<std::string> held_;  ///< lines of standard error, until the agent has answered
  patience due_;  ///< for the agent's answer; once it is done, for the end of the remote shell
  phase phase_ = phase::connecting;
};

}  // namespace upwash::launch::detail
