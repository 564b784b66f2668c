// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "upwash/base/error.hpp"
#include "upwash/model/cost.hpp"

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
                              with.receive_overhead, with.acknowledge_time}) {
    if (each < duration()) wrong("a negative delay");
  }
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

namespace {

/// Switches on a way between two nodes, in the mean over some thousand pairs.
double mean_switches(const model::topology& in) {
  constexpr int most = 64;
  const int stride = std::max(1, in.nodes() / most);
  std::uint64_t switches = 0;
  std::uint64_t pairs = 0;
  for (int from = 0; from < in.nodes(); from += stride) {
    for (int to = 0; to < in.nodes(); to += stride) {
      if (to == from) continue;
      switches += model::preferred_way(in, from, {.to = to, .via = -1}).size();
      ++pairs;
    }
  }
  return pairs == 0 ? 0 : static_cast<double>(switches) / static_cast<double>(pairs);
}

/// Of messages so long that nothing else counts.
double long_message_ns_per_byte(const machine_level& level) {
  if (!level.alpha_beta) return level.loggp->gap_ns_per_byte;
  constexpr std::uint64_t bytes = std::uint64_t{1} << 30U;
  return (model::alpha_beta_time(*level.alpha_beta, 2 * bytes) -
          model::alpha_beta_time(*level.alpha_beta, bytes))
             .ns() /
         static_cast<double>(bytes);
}

/// Splits the latency of messages over the NICs and the mean way.
void split_latency(network_parameters& with, duration latency, const model::topology& in) {
  const double switches = mean_switches(in);
  const double way_ns =
      switches * with.switch_delay.ns() + (switches + 1) * with.channel_delay.ns();
  const double left_ns = latency.ns() - way_ns;
  with.send_overhead = with.receive_overhead = duration::from_ns(std::max(0.0, left_ns / 2));
  if (left_ns >= 0) return;
  with.switch_delay = duration::from_ns(with.switch_delay.ns() * latency.ns() / way_ns);
  with.channel_delay = duration::from_ns(with.channel_delay.ns() * latency.ns() / way_ns);
}

}  // namespace

network_parameters parameters_of(const machine& on, const model::topology& in, bool nic_memory) {
  const machine_level& outermost = on.levels.back();
  network_parameters with;
  if (on.nic.packets_in_flight) {
    with = qsnet_parameters();
    with.packets_in_flight = *on.nic.packets_in_flight;
  }
  if (on.nic.packet_bytes) with.packet_bytes = static_cast<std::uint32_t>(*on.nic.packet_bytes);
  if (!outermost.has_costs()) {
    throw error(error_kind::configuration,
                fmt::format("machine {} has no costs at its outermost level, which the packet "
                            "network needs; add them to {}",
                            on.name, on.origin));
  }
  const double per_byte_ns = nic_memory ? needed(on, on.nic.memory_beta_ns_per_byte,
                                                 "nic.memory_beta", "sending from NIC memory")
                                        : long_message_ns_per_byte(outermost);
  const model::message_cost empty = model::cost_of_message(on, on.levels.size() - 1, 0);
  with.message_gap = empty.busy;
  split_latency(with, empty.latency, in);
  with.nic_ps_per_byte = std::llround(per_byte_ns * 1e3);
  // A link is as fast as the NIC at least; where its rate is not known, just as fast.
  if (!on.nic.packets_in_flight) {
    with.ps_per_byte = std::max<std::int64_t>(with.nic_ps_per_byte, 1);
  }
  // Room for what a link carries until a credit is back, or no message would have its rate.
  const duration credit_back = 2 * with.channel_delay + with.switch_delay;
  const std::int64_t packet_ps = with.packet_time().ps();
  const std::int64_t needed_buffers = (credit_back.ps() + packet_ps - 1) / packet_ps + 1;
  with.buffers = std::clamp(static_cast<int>(std::min<std::int64_t>(needed_buffers, 127)), 4, 127);
  return with;
}

}  // namespace upwash::simulator
