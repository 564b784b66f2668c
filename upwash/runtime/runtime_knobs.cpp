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
    knob{"ranks", knob_type::integer, "1", "ranks of a job in one process (sim, loopback)",
         knob_level::user},
    knob{
        "machine", knob_type::text, "laptop",
        "that sim simulates, and that choices are made for (a name or a path); where none is named "
        "they are made for this one, if upwash tune machine measured it, and else over several "
        "hosts for ethernet",
        knob_level::user},
    knob{"algorithms", knob_type::text, "",
         "forced algorithms: COLLECTIVE=NAME[:key=value,...][;...], for all calls that they can "
         "serve; rank 0's count",
         knob_level::user},
    knob{"transfer", knob_type::choice, "by_size",
         "how edges of collectives travel, all that can; the same at all ranks",
         knob_level::developer, "by_size|eager|signalling_put|rendezvous|single_copy|matched"},
    knob{"tuning", knob_type::text, "",
         "tuning file; empty: upwash/tuning/CONDUIT.json of the user's config folder, or shipped; "
         "none: no file",
         knob_level::user},
    knob{"tune_log", knob_type::flag, "0", "a line for each choice of an algorithm, and why",
         knob_level::user},
    knob{"adapt", knob_type::choice, "irregular",
         "collectives whose algorithms change while the program runs, by what its calls take",
         knob_level::user, "none|irregular|all"},
    knob{"seed", knob_type::integer, "0", "seed of simulated randomness", knob_level::user},
    knob{"hang_report", knob_type::time, "60s",
         "when a rank waits longer than this, one report says what all ranks wait for; 0: never",
         knob_level::user},
    knob{"trace", knob_type::text, "",
         "file into which the ranks write what they do (upwash trace reads it); empty: none",
         knob_level::user},
    knob{"trace_limit", knob_type::bytes, "64m",
         "of each rank's part of the trace; what was written first makes room for what comes",
         knob_level::user},
    knob{"checked", knob_type::flag, "0", "costly checks of how the library is called",
         knob_level::user},
    knob{"turn_limit", knob_type::time, "1s",
         "checked runs: a rank that keeps others of its process waiting for longer is named; 0: "
         "none",
         knob_level::user},
    knob{"deferred_limit", knob_type::integer, "4096",
         "messages from handlers that wait for credit, above which peers' requests are throttled",
         knob_level::developer},
    knob{"mpi", knob_type::text, "collectives,neighborhoods",
         "what the preload library takes over of a program's MPI (docs/mpi.md): off, all, or some "
         "of collectives, neighborhoods, messages; the same at all ranks",
         knob_level::user},
    knob{"mpi_threads", knob_type::flag, "0",
         "it takes over calls of programs with MPI_THREAD_MULTIPLE, too (docs/mpi.md)",
         knob_level::user},
    knob{"mpi_only", knob_type::text, "",
         "functions that it takes over, as in MPI_Bcast,MPI_Allreduce; empty: all that it can",
         knob_level::user},
    knob{"mpi_except", knob_type::text, "", "functions that it leaves to the MPI library",
         knob_level::user},
    knob{"mpi_sample", knob_type::integer, "0",
         "of calls that it takes over every so-manieth goes to the MPI library, to compare times "
         "(in "
         "checked runs blocking collectives go to both, and their results are compared); 0: none",
         knob_level::user},
    knob{"report", knob_type::text, "0",
         "what a job of upwash run, or the preload library, did, at the end: 1: on standard error; "
         "a "
         "file: there, as JSON",
         knob_level::user},
    knob{"stack_bytes", knob_type::bytes, "0",
         "stack of a rank that is a fiber, and of a method that waits, pages as they are touched; "
         "0: "
         "8m (256k where simulated), and 256k",
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
