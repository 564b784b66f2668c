// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/nic_memory.hpp"

#include "upwash/base/error.hpp"

namespace upwash::schedule::detail {

machine sending_from_nic(machine on) {
  const double beta = needed(on, on.nic.memory_beta_ns_per_byte, "nic.memory_beta",
                             "sending from the memory of the NIC");
  machine_level& outermost = on.levels.back();
  if (outermost.alpha_beta) {
    for (alpha_beta_piece& each : outermost.alpha_beta->pieces) each.beta_ns_per_byte = beta;
  } else if (outermost.loggp) {
    outermost.loggp->gap_ns_per_byte = beta;
  }
  return on;
}

}  // namespace upwash::schedule::detail
