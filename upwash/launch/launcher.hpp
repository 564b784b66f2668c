// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Starts the processes of a job on this machine or on several hosts, forwards what they print, ends
// them together, and leaves nothing behind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/duration.hpp"

namespace upwash::launch {

enum class binding { none, core };

/// Takes the lines that a job's processes print.
class output_sink {
 public:
  virtual ~output_sink() = default;

  /// One line, its end included when it had one. `rank`: the first rank of the process that
  /// printed it, or -1 for the launcher's own lines. `standard_error`: where it was printed.
  virtual void line(int rank, bool standard_error, std::string_view text) = 0;
};

/// A host of a job, and how many ranks it has room for.
struct host_share {
  std::string name;
  int slots = 1;
};

/// How the hosts of a job are reached.
struct remote_options {
  /// Runs a command on a host: these words, the host, the command. Its standard input and output
  /// are the command's; it may print something before the command does.
  std::vector<std::string> rsh{"ssh", "-o", "BatchMode=yes"};
  bool rsh_is_chosen = false;  ///< by the user: other launchers, which have their own, take it too
  std::string upwash;          ///< the upwash command there; empty: this program, by its path
  duration start_timeout = duration::from_seconds(60);  ///< for hosts to answer
  duration host_timeout = duration::from_seconds(15);   ///< a host that is silent longer is lost
};

struct launch_options {
  int ranks = 1;
  int processes = 0;              ///< that share the ranks evenly; 0: one for each rank
  std::vector<host_share> hosts;  ///< filled in this order; empty: this machine
  int ranks_a_process = 1;  ///< at most, on hosts; as many as a host needs processes for, evenly
  remote_options remote;    ///< of hosts
  std::vector<std::string> program;      ///< found along PATH, and its arguments
  std::vector<std::string> environment;  ///< "NAME=value", over this process's environment
  binding bind = binding::none;
  duration timeout;  ///< zero: none
  bool prefix =
      false;  ///< each line starts with "[rank] ", of several in a process "[first-last] "
  bool tell_of_strangers = false;  ///< a line when none of the processes was one of upwash
  output_sink* output = nullptr;   ///< null: this process's standard output and error
};

/// Exit status of a job that its time-out ended, as of timeout(1).
inline constexpr int timeout_status = 124;

/// How many processes this one can start so that each has a core of its own: the cores that it may
/// run on, and the share of their time that it may use. At least 1.
[[nodiscard]] int usable_cores();

/// Runs a job to its end and returns its exit status: 0; the status of the first process that
/// failed (128 + signal for a killed one); 2 when the program cannot be started or a host not be
/// reached; 1 when a host is lost; 128 + signal after SIGINT, SIGTERM or SIGHUP; timeout_status.
/// One line says why, to standard error. Over hosts the program is the same file everywhere and
/// runs in the folder that this process is in, with its variables PATH, LD_LIBRARY_PATH and
/// UPWASH_*; standard input of all ranks is empty. Blocking. Uses the calling process's signal mask
/// and children, and restores the mask; not for use beside other threads that handle SIGINT,
/// SIGTERM, SIGHUP or SIGUSR1. Throws `error`: argument for options out of range, system when the
/// machine refuses.
[[nodiscard]] int launch(const launch_options& options);

}  // namespace upwash::launch
