// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/shm/shm_row.hpp"

#include "upwash/conduit/shm/shm_world.hpp"

namespace upwash::conduit {
namespace {

constexpr knob rows[] = {
    knob{"shm_ring_lines", knob_type::integer, "0",
         "messages in flight between two processes, per class: a power of two from 8; 0: depends "
         "on the number of processes and of their ranks",
         knob_level::tuner},
    knob{"shm_payload", knob_type::bytes, "0",
         "payload bytes in flight between two processes, per class: a power of two from 4k; 0: "
         "depends on the number of processes",
         knob_level::tuner},
    knob{"shm_cma", knob_type::choice, "auto",
         "auto reads the private memory of peers by cross-memory attach if that is faster; off "
         "never does",
         knob_level::tuner, "auto|off"},
    knob{"shm_cma_small", knob_type::bytes, "4k",
         "reads of private memory up to this size use cross-memory attach for pages of any size",
         knob_level::tuner},
    knob{"shm_pipeline", knob_type::bytes, "256k",
         "buffer of 8 parts for reads of private memory by two copies; a pair of processes makes "
         "it on first use",
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
