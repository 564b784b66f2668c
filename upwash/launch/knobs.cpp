// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of the launch layer: what the launcher tells its ranks, and what a foreign launcher's
// user may say by hand.
#include "upwash/launch/knobs.hpp"

namespace upwash::launch {

void launch_knobs(knob_table& table) {
  static constexpr knob rows[] = {
      knob{"boot_board", knob_type::text, "",
           "where processes that another launcher starts tell upwash run of themselves; set by it",
           knob_level::developer},
      knob{"boot_control", knob_type::integer, "-1",
           "descriptor of the job's control block; set by upwash run", knob_level::developer},
      knob{"boot_process", knob_type::integer, "-1",
           "number of this process in the job; set by upwash run", knob_level::developer},
      knob{"boot_ranks", knob_type::text, "",
           "ranks of the job whose processes another launcher starts, or of each process (2,1,2); "
           "set by upwash run",
           knob_level::developer},
      knob{"boot_folder", knob_type::text, "",
           "for files of network engines in shared memory; set by upwash run, which removes it",
           knob_level::developer},
      knob{"boot_taken", knob_type::text, "",
           "pid that has taken a place in a job, and the job; set by ranks for what they start",
           knob_level::developer},
      knob{"rank", knob_type::integer, "-1",
           "this process's number, for launchers that upwash does not know", knob_level::user},
      knob{"size", knob_type::integer, "-1",
           "processes in the job, for launchers that upwash does not know", knob_level::user},
      knob{"job_id", knob_type::text, "",
           "a name that only the processes of this job have, with rank and size", knob_level::user},
      knob{"ranks_per_process", knob_type::integer, "1",
           "ranks in each process when upwash run did not start it", knob_level::user},
      knob{"rsh", knob_type::text, "ssh -o BatchMode=yes",
           "how upwash run --hosts runs a command on a host: these words, host, command",
           knob_level::user},
      knob{"host_timeout", knob_type::time, "15s",
           "after this silence a host is lost, and its job ends; networks may stand still for half "
           "of it, since TCP doubles its pauses; 0: launchers of others notice",
           knob_level::user},
      knob{"pmix_plugin", knob_type::text, "",
           "the library that joins upwash with PMIx; empty: libupwash_pmix.so beside libupwash",
           knob_level::developer},
      knob{"start_timeout", knob_type::time, "60s",
           "how long start-up waits for the other processes", knob_level::user},
  };
  table.add(rows);
}

}  // namespace upwash::launch
