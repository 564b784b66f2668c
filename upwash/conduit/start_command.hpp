// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the processes of a conduit are started whose engine has a launcher of its own, and what to
// make of that launcher's output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace upwash::conduit {

/// What is wanted of another launcher.
struct start_request {
  struct share {
    std::string host;
    int processes = 1;
  };
  int processes = 1;
  std::vector<share> hosts;               ///< in this order; empty: this machine
  std::vector<std::string> remote_shell;  ///< host and command follow; empty: the launcher's own
  bool bind_to_cores = false;             ///< each process to one, else to none
  bool tag_lines = false;                 ///< each line of output says whose it is
  std::vector<std::string> variables;     ///< of the environment, that all processes must have
};

/// What a launcher adds to what its processes print. Stateless.
class launcher_manner {
 public:
  /// Takes the tag off the beginning of a line, and returns the process that it names; -1: none.
  [[nodiscard]] virtual int untag(std::string_view& line) const = 0;

  /// Whether a line is the launcher's comment on a job that failed. `inside`: whether the last line
  /// of the same stream was one; it keeps what it wants there.
  [[nodiscard]] virtual bool is_comment(std::string_view line, bool standard_error,
                                        bool& inside) const = 0;

  /// The job's exit status, 128 + signal for a killed process, from the launcher's own.
  [[nodiscard]] virtual int status(int own, std::string_view comments) const = 0;

  /// The process that failed, of which the comments tell; -1: they do not.
  [[nodiscard]] virtual int failed_process(std::string_view comments) const = 0;

  /// The host that is gone, of which the comments tell; empty: they do not.
  [[nodiscard]] virtual std::string_view lost_host(std::string_view comments) const = 0;

  /// The host of a process whose connection to another one has ended, of which the comments tell;
  /// empty: they do not.
  [[nodiscard]] virtual std::string_view host_hung_up(std::string_view comments) const = 0;

  /// The host to which the remote shell's connection has closed, and that this has ended the
  /// launcher; empty: the comments do not tell. It may have been how others were ended.
  [[nodiscard]] virtual std::string_view host_cut_off(std::string_view comments) const = 0;

 protected:
  ~launcher_manner() = default;
};

struct start_command {
  std::vector<std::string> words;           ///< program and arguments follow
  const launcher_manner* manner = nullptr;  ///< null: nothing is known of it
};

}  // namespace upwash::conduit
