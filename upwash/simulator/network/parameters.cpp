// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::simulator {

void check(const network_parameters& with) {
  const auto wrong = [](const std::string& what) {
    throw error(error_kind::argument, "network: " + what);
  };
  if (with.ps_per_byte < 1 || with.packet_bytes < 1) wrong("packets must take time on a link");
  if (with.buffers < 1 || with.buffers > 127) {
    wrong(fmt::format("{} packets of buffer; valid are 1 to 127", with.buffers));
  }
  if (with.input_queues < 0 || with.input_queues > 4096) {
    wrong(fmt::format("{} queues an input; valid are 0, one for each output, to 4096",
                      with.input_queues));
  }
  if (with.arbiter_rounds < 0 || with.arbiter_rounds > 64) {
    wrong(fmt::format("{} rounds of an arbiter; valid are 0, matched as they become free, to 64",
                      with.arbiter_rounds));
  }
  if (with.packets_in_flight < 0 || with.nic_ps_per_byte < 0) {
    wrong("a NIC with a negative number of packets in flight or time a byte");
  }
  if (with.combine_units < 1 || with.combine_units > 4096) {
    wrong(fmt::format("{} combine units a switch; valid are 1 to 4096", with.combine_units));
  }
  if (with.combine_bytes_per_cycle < 1) wrong("combine units must take in at least a byte a cycle");
  if (with.output_buffer < 1) wrong("at least one packet of room behind the crossbar");
  if (!(with.speedup >= 1) || with.speedup > 64) {
    wrong(fmt::format("a speed-up of {}; valid is 1 to 64", with.speedup));
  }
  for (const duration each : {with.channel_delay, with.switch_delay, with.send_overhead,
                              with.receive_overhead, with.acknowledge_time, with.patience}) {
    if (each < duration()) wrong("a negative delay");
  }
}

void check_multicasts(const network_parameters& with) {
  if (with.design != switch_design::input_queued || with.arbiter_rounds > 0) return;
  throw error(error_kind::argument,
              "network: multicasts in input-queued switches need an arbiter with rounds "
              "(arbiter_rounds, --arbiter-rounds); these are matched as they become free");
}

network_parameters qsnet_parameters() {
  network_parameters with;
  with.ps_per_byte = 3135;
  with.packet_bytes = 320;
  with.channel_delay = duration::from_ns(6);
  with.switch_delay = duration::from_ns(35);
  with.send_overhead = with.receive_overhead = duration();
  with.nic_ps_per_byte = 3279;
  with.packets_in_flight = 1;
  with.acknowledge_time = duration::from_ns(776);
  with.design = switch_design::input_queued;
  return with;
}

network_parameters parameters_of(const machine& on, const model::topology& in, bool nic_memory) {
  network_parameters with;
  if (on.nic.packets_in_flight) {
    with = qsnet_parameters();
    with.packets_in_flight = *on.nic.packets_in_flight;
  }
  static_cast<model::network_costs&>(with) = model::fitted(with, on, in, nic_memory);
  // Room for what a link carries until a credit is back, or no message would have its rate.
  const duration credit_back = 2 * with.channel_delay + with.switch_delay;
  const std::int64_t packet_ps = with.packet_time().ps();
  const std::int64_t needed_buffers = (credit_back.ps() + packet_ps - 1) / packet_ps + 1;
  with.buffers = static_cast<int>(std::clamp<std::int64_t>(needed_buffers, 4, 127));
  return with;
}

}  // namespace upwash::simulator
