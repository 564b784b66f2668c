// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/shm/shm_row.hpp"

#include "upwash/conduit/shm/shm_world.hpp"

namespace upwash::conduit {
namespace {

constexpr knob rows[] = {
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
