// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/sim/sim_world.hpp"

#include <fmt/format.h>

#include <climits>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/conduit/sim/detail/segments.hpp"
#include "upwash/conduit/sim/detail/sim_endpoint.hpp"
#include "upwash/conduit/sim/detail/switch_collectives.hpp"
#include "upwash/conduit/sim/detail/traffic.hpp"
#include "upwash/conduit/sim/detail/transfers.hpp"

namespace upwash::conduit {
namespace sim {
namespace {

class sim_world final : public world {
 public:
  explicit sim_world(sim_options options)
      : in_(std::move(options)),
        memory_(in_.options().direct_access),
        messages_(in_),
        transfers_(in_, messages_, memory_),
        collectives_(in_) {
    if (in_.options().find_conflicts) look_for_conflicts();
    const sim_endpoint::parts all{in_, messages_, transfers_, collectives_, memory_};
    in_.ranks.ask_of_ranks([this](int rank) { return messages_.receiver_of(rank); });
    const rank_layout& layout = in_.layout();
    for (int p = 0; p < layout.processes(); ++p) {
      endpoints_.push_back(
          std::make_unique<sim_endpoint>(all, layout.first_of(p), layout.count_of(p)));
    }
  }

  [[nodiscard]] int size() const noexcept override { return in_.options().ranks; }
  [[nodiscard]] int first_rank() const noexcept override { return 0; }
  [[nodiscard]] int local_ranks() const noexcept override { return size(); }
  [[nodiscard]] endpoint& endpoint_of(int rank) override {
    return *endpoints_.at(static_cast<std::size_t>(in_.layout().process_of(rank)));
  }
  [[nodiscard]] waiter& waiter_of(int rank) override { return endpoint_of(rank); }
  void watch_turns(switch_watch& by) override { in_.ranks.watch(by); }
  void run(function_ref<void(int)> body) override {
    in_.ranks.run(body);
    if (in_.record) in_.record->flush();
  }

  [[nodiscard]] const std::shared_ptr<const model::topology>& network() const {
    return in_.options().through;
  }
  [[nodiscard]] sim_report report() const {
    const simulator::engine& events = in_.ranks.events();
    sim_report seen{events.now(), events.events_run(), messages_.delivered(), events.digest(), 0};
    if (in_.packets) {
      seen.digest ^= in_.packets->network().digest();
      seen.packet_hops = in_.packets->network().packet_hops();
    }
    return seen;
  }

 private:
  void look_for_conflicts() {
    if (in_.options().direct_access || size() > write_conflicts::most_ranks) {
      log(log_level::info, "sim",
          fmt::format("puts that conflict are not looked for: {} ranks{}; up to {} are watched, "
                      "where they do not store directly",
                      size(), in_.options().direct_access ? " with direct access" : "",
                      write_conflicts::most_ranks));
      return;
    }
    in_.conflicts = std::make_unique<write_conflicts>(in_.ranks, memory_);
  }

  simulation in_;
  segments memory_;
  traffic messages_;
  transfers transfers_;
  switch_collectives collectives_;
  std::vector<std::unique_ptr<sim_endpoint>> endpoints_;
};

}  // namespace
}  // namespace sim

std::unique_ptr<world> make_sim_world(sim_options options) {
  const auto check = [](bool good, std::string_view name, long long seen) {
    if (good) return;
    throw error(error_kind::argument,
                fmt::format("{} of a simulated job is {}; valid: 1 and up", name, seen));
  };
  check(options.ranks >= 1, "the number of ranks", options.ranks);
  check(options.ranks_per_process >= 1, "ranks per process", options.ranks_per_process);
  check(options.queue_messages >= 1, "messages in a queue", options.queue_messages);
  return std::make_unique<sim::sim_world>(std::move(options));
}

sim_report report_of(const world& simulated) {
  return dynamic_cast<const sim::sim_world&>(simulated).report();
}

std::shared_ptr<const model::topology> network_of(const world& any) {
  const auto* simulated = dynamic_cast<const sim::sim_world*>(&any);
  return simulated == nullptr ? nullptr : simulated->network();
}

}  // namespace upwash::conduit
