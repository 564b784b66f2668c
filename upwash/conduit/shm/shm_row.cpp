// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/shm/shm_row.hpp"

#include "upwash/conduit/shm/shm_world.hpp"

namespace upwash::conduit {
namespace {

constexpr knob rows[] = {
    knob{"wait_policy", knob_type::choice, "auto",
         "how a rank waits: auto spins with a core of its own and yields without", knob_level::user,
         "auto|spin|yield|sleep"},
    knob{"sleep_after", knob_type::time, "1s",
         "waiting longer than this naps instead of keeping the core; 0: never", knob_level::tuner},
    knob{"progress_thread", knob_type::flag, "0",
         "a thread serves memory operations while the rank computes", knob_level::user},
    knob{"progress_wait", knob_type::choice, "poll",
         "the progress thread where it finds nothing: looks again, naps between looks, or sleeps "
         "until a message for it wakes it",
         knob_level::user, "poll|nap|sleep"},
    knob{"fake_nodes", knob_type::integer, "0",
         "split the ranks of one machine into so many pretended nodes; 0: none", knob_level::user},
    knob{"shm_turns", knob_type::integer, "0",
         "ranks of a process that are ready go on as this seed draws; 0: in the order in which "
         "they got ready",
         knob_level::developer},
    knob{"compute", knob_type::choice, "ignore",
         "what job.compute does in real time: nothing, or burn the time", knob_level::user,
         "ignore|burn"},
    knob{"shm_ring_lines", knob_type::integer, "0",
         "messages in flight between two processes and class, a power of two from 8; 0: by the "
         "number of processes and of their ranks",
         knob_level::tuner},
    knob{"shm_payload", knob_type::bytes, "0",
         "bytes of payload in flight between two processes and class, a power of two from 4k; "
         "0: by the number of processes",
         knob_level::tuner},
    knob{"shm_cma", knob_type::choice, "auto",
         "read peers' private memory by cross-memory attach where it is faster, or never",
         knob_level::tuner, "auto|off"},
    knob{"shm_cma_small", knob_type::bytes, "4k",
         "private reads up to this size take cross-memory attach whatever the pages",
         knob_level::tuner},
    knob{"shm_pipeline", knob_type::bytes, "256k",
         "ring for private reads by two copies, of 8 parts, made for each pair on first use",
         knob_level::tuner},
};

std::unique_ptr<world> make(const settings& values, bootstrap* boot) {
  return make_shm_world(*boot, values);
}

}  // namespace

conduit_row shm_row() {
  return {.name = "shm",
          .doc = "processes on one machine, through shared memory",
          .several_processes = true,
          .shares_memory = true,
          .knobs = rows,
          .only_here = {},
          .make = &make};
}

}  // namespace upwash::conduit
