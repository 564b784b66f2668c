// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/registry.hpp"
#include "upwash/conduit/process_knobs.hpp"
#include "upwash/launch/knobs.hpp"
#include "upwash/matching/options.hpp"
#include "upwash/runtime/conduits.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash {
namespace {

constexpr knob rows[] = {
    knob{"ranks", knob_type::integer, "1",
         "number of ranks of a job in one process (conduits sim and loopback)", knob_level::user},
    knob{"machine", knob_type::text, "laptop",
         "the machine that sim simulates and that algorithms are chosen for: a name or a path. "
         "Default: the file that upwash tune machine measured for this machine; without one, "
         "laptop on one host and ethernet on several",
         knob_level::user},
    knob{"algorithms", knob_type::text, "",
         "forces algorithms: COLLECTIVE=NAME[:key=value,...][;...], for all calls that they can "
         "serve; the value at rank 0 decides",
         knob_level::user},
    knob{"transfer", knob_type::choice, "by_size",
         "how the messages of collectives travel, if the algorithm allows it; must be equal at all "
         "ranks",
         knob_level::developer, "by_size|eager|signalling_put|rendezvous|single_copy|matched"},
    knob{"tuning", knob_type::text, "",
         "tuning file; empty: upwash/tuning/CONDUIT.json in the user's config folder, else the "
         "file that comes with upwash; none: no file",
         knob_level::user},
    knob{"tune_log", knob_type::flag, "0",
         "prints a line with the reason for each choice of an algorithm", knob_level::user},
    knob{"adapt", knob_type::choice, "irregular",
         "collectives whose algorithms change while the program runs, based on the times of its "
         "calls",
         knob_level::user, "none|irregular|all"},
    knob{"seed", knob_type::integer, "0", "seed of simulated randomness", knob_level::user},
    knob{"hang_report", knob_type::time, "60s",
         "if a rank waits longer than this, one report says which operation each rank waits in; 0: "
         "never",
         knob_level::user},
    knob{"trace", knob_type::text, "",
         "file into which the ranks record their operations, for upwash trace; empty: no trace",
         knob_level::user},
    knob{"trace_limit", knob_type::bytes, "64m",
         "size of each rank's part of the trace; new events replace the oldest", knob_level::user},
    knob{"checked", knob_type::flag, "0", "checks how the program uses the library, at a cost",
         knob_level::user},
    knob{"turn_limit", knob_type::time, "1s",
         "checked runs name a rank that keeps the other ranks of its process waiting for longer; "
         "0: never",
         knob_level::user},
    knob{"deferred_limit", knob_type::integer, "4096",
         "number of messages from handlers that may wait for credit before the requests of peers "
         "are throttled",
         knob_level::developer},
    knob{"mpi", knob_type::text, "collectives,neighborhoods",
         "the MPI calls that the preload library handles (docs/mpi.md): off, all, or a list of "
         "collectives, neighborhoods, messages; must be equal at all ranks",
         knob_level::user},
    knob{"mpi_threads", knob_type::flag, "0",
         "handles MPI calls of programs with MPI_THREAD_MULTIPLE, too (docs/mpi.md)",
         knob_level::user},
    knob{"mpi_only", knob_type::text, "",
         "functions that the preload library handles, as in MPI_Bcast,MPI_Allreduce; empty: all "
         "that it can",
         knob_level::user},
    knob{"mpi_except", knob_type::text, "",
         "functions that the preload library leaves to the MPI library", knob_level::user},
    knob{"mpi_sample", knob_type::integer, "0",
         "sends every N-th call that upwash handles to the MPI library instead, to compare times; "
         "in checked runs blocking collectives run in both and their results are compared; 0: none",
         knob_level::user},
    knob{"report", knob_type::text, "0",
         "a summary of the job at its end, from upwash run or the preload library: 1: on standard "
         "error; a file name: there, as JSON; 0: none",
         knob_level::user},
    knob{"stack_bytes", knob_type::bytes, "0",
         "stack of a rank that is a fiber, and of an object's method that waits; pages are "
         "allocated when touched; 0: 8m for ranks (256k if simulated) and 256k for methods",
         knob_level::developer},
};

}  // namespace

void add_all_knobs(knob_table& table) {
  base_knobs(table);
  const knob conduit_row{"conduit",        knob_type::choice, conduits().front().name,
                         "how bytes move", knob_level::user,  conduit_choices()};
  table.add(std::span(&conduit_row, 1));
  table.add(rows);
  for (const std::string_view name : collective::kind_names()) {
    const knob row{name, knob_type::text, "", "forces its algorithm: NAME[:key=value,...]",
                   knob_level::tuner};
    table.add(std::span(&row, 1));
  }
  launch::launch_knobs(table);
  table.add(conduit::process_knobs());
  for (const conduit::conduit_row& each : conduits()) table.add(each.knobs);
  matching::add_knobs(table);
}

}  // namespace upwash
