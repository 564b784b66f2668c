// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/simulation.hpp"

#include "upwash/base/duration.hpp"
#include "upwash/base/error.hpp"
#include "upwash/simulator/network/packet_network.hpp"

namespace upwash::simulator {

simulation_result run(const simulation& what, function_ref<void(double)> progress) {
  if (what.packets < 1 || what.warm_up_packets < 0) {
    throw error(error_kind::argument, "simulation: the window is empty");
  }
  const duration start = steady_now();
  synthetic_traffic::plan plan;
  plan.pattern = what.pattern;
  plan.load = what.load;
  plan.outstanding = what.outstanding;
  plan.seed = what.seed;
  plan.through_others = what.on->wants_via();
  plan.from_ps = (what.with.packet_time() * what.warm_up_packets).ps();
  const duration window = what.with.packet_time() * what.packets;
  plan.to_ps = plan.from_ps + window.ps();
  synthetic_traffic traffic(what.on->nodes(), what.with, plan);
  packet_network network(*what.on, what.with, traffic, what.seed);
  traffic.attach(network);
  constexpr int parts = 200;
  for (int part = 1; part <= parts; ++part) {
    network.run(duration::from_ps(plan.to_ps / parts * part));
    progress(static_cast<double>(part) / parts);
  }
  network.run(duration::from_ps(plan.to_ps));
  const arrival_record& seen = traffic.record();
  simulation_result result;
  result.load = what.load;
  const double could = static_cast<double>(window.ps()) /
                       static_cast<double>(what.with.ps_per_byte) * traffic.senders();
  result.accepted = could > 0 ? static_cast<double>(seen.bytes()) / could : 0;
  result.latency_avg_ns = seen.mean_ns();
  result.latency_p99_ns = seen.quantile_ns(0.99);
  result.packets = seen.packets();
  result.packet_hops = network.packet_hops();
  result.digest = network.digest();
  result.carried = network.carried();
  result.wall_s = (steady_now() - start).seconds();
  return result;
}

simulation_result run(const simulation& what) {
  return run(what, [](double) {});
}

}  // namespace upwash::simulator
