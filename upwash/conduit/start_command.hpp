// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Starts the processes of a conduit whose engine has its own launcher, and interprets that
// launcher's output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace upwash::conduit {

/// A job to be started through an external launcher.
struct start_request {
  struct share {
    std::string host;
    int processes = 1;
  };
  int processes = 1;
  std::vector<share> hosts;               ///< in this order; empty: this machine
  std::vector<std::string> remote_shell;  ///< host and command follow; empty: the launcher's own
  bool bind_to_cores = false;             ///< each process to one core; else no binding
  bool tag_lines = false;                 ///< each line of output begins with its process
  std::vector<std::string> variables;     ///< environment variables for all processes
};

/// The additions of a launcher to the output of its processes. Stateless.
class launcher_manner {
 public:
  /// Removes the tag from the beginning of a line and returns the process that the tag names; -1:
  /// no tag.
  [[nodiscard]] virtual int untag(std::string_view& line) const = 0;

  /// Returns whether a line is the launcher's comment on a job that failed. `inside`: whether the
  /// last line of the same stream was one; the function keeps its state there.
  [[nodiscard]] virtual bool is_comment(std::string_view line, bool standard_error,
                                        bool& inside) const = 0;

  /// Returns the job's exit status, 128 + signal for a killed process, derived from the launcher's
  /// own.
  [[nodiscard]] virtual int status(int own, std::string_view comments) const = 0;

  /// Returns the failed process according to the comments; -1: not stated.
  [[nodiscard]] virtual int failed_process(std::string_view comments) const = 0;

  /// Returns the lost host according to the comments; empty: not stated.
  [[nodiscard]] virtual std::string_view lost_host(std::string_view comments) const = 0;

  /// Returns the host of a process whose connection to another process has ended, according to the
  /// comments; empty: not stated.
  [[nodiscard]] virtual std::string_view host_hung_up(std::string_view comments) const = 0;

  /// Returns the host to which the remote shell's connection has closed, if the comments say that
  /// this has ended the launcher; empty: not stated. The closed connection may be how other
  /// processes were ended.
  [[nodiscard]] virtual std::string_view host_cut_off(std::string_view comments) const = 0;

 protected:
  ~launcher_manner() = default;
};

struct start_command {
  std::vector<std::string> words;           ///< program, then arguments
  const launcher_manner* manner = nullptr;  ///< null: unknown
};

}  // namespace upwash::conduit
