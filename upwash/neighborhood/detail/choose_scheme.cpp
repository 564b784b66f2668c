// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/detail/choose_scheme.hpp"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "upwash/base/log.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/neighborhood/detail/neighborhood_state.hpp"
#include "upwash/neighborhood/relay/estimate.hpp"

namespace upwash::neighborhoods {

const machine& machine_by_name::get() {
  std::call_once(once_, [this] { read_ = std::make_shared<machine>(load_machine(name_)); });
  return *read_;
}

void install(job& here, machine_by_name& on) { here.service<detail::costs>().on = &on; }

namespace detail {
namespace {

/// Collective: the plans of all schemes, and what they take by all members' estimates.
scheme_costs costs_of(neighborhood_state& of, const std::vector<chosen_scheme>& schemes,
                      contents what, const machine& on) {
  std::vector<std::shared_ptr<const relay_plan>> plans;
  std::vector<std::uint64_t> own;
  for (const chosen_scheme& each : schemes) {
    plans.push_back(of.plan_of(text_of(each), what));
    own.push_back(rounds_of(*plans.back()));
  }
  std::vector<std::uint64_t> rounds(own.size());
  all_reduce<most>(of.among(), blocking, std::span<const std::uint64_t>(own),
                   std::span<std::uint64_t>(rounds));
  scheme_costs table(rounds, of.nodes().nodes());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    table.add(i, *plans[i], of.among().rank(), of.nodes(), on);
  }
  all_reduce<most>(of.among(), blocking, in_place, table.slowest());
  all_reduce<sum>(of.among(), blocking, in_place, table.adapters());
  return table;
}

/// Where members share memory, no other scheme needs to be planned unless neighbours are many.
bool sharing_is_best(const neighborhood_state& of, contents what, const machine& on) {
  if (!of.where().shares_memory || of.nodes().nodes() > 1) return false;
  const shared_reading most{
      what == contents::same_for_all ? 1.0 : static_cast<double>(of.most_destinations()),
      static_cast<double>(of.most_sources())};
  const int rank = of.among().rank();
  const double reading = estimate(most, rank, looked_at.front(), of.nodes(), on);
  return reading <= least_of_relaying(rank, of.nodes(), on);
}

}  // namespace

std::array<std::string, looked_at.size()> choose_schemes(neighborhood_state& of, contents what) {
  std::array<std::string, looked_at.size()> chosen;
  machine_by_name* on = of.among().here().service<costs>().on;
  if (on == nullptr) {
    const char* usual = of.where().shares_memory ? "shared" : "direct";
    chosen.fill(usual);
    log(log_level::info, "neighborhood",
        fmt::format("{}; why: the job knows no machine to choose by", usual));
    return chosen;
  }
  if (sharing_is_best(of, what, on->get())) {
    chosen.fill("shared");
    if (of.among().rank() == 0) {
      log(log_level::info, "neighborhood",
          "shared; why: members share memory, and to read what neighbours have takes no longer "
          "than two rounds of messages");
    }
    return chosen;
  }
  const auto schemes = schemes_worth_a_look(of.where());
  const scheme_costs table = costs_of(of, schemes, what, on->get());
  for (std::size_t size = 0; size < looked_at.size(); ++size) {
    const std::size_t best = table.best(size);
    chosen[size] = text_of(schemes[best]);
    if (of.among().rank() != 0) continue;
    log(log_level::info, "neighborhood",
        fmt::format("{} for blocks of up to {} bytes; why: {:.2f} us by estimate, direct {:.2f} us",
                    chosen[size], looked_at[size], table.nanoseconds(best, size) / 1000,
                    table.nanoseconds(0, size) / 1000));
  }
  return chosen;
}

}  // namespace detail
}  // namespace upwash::neighborhoods
