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
#include "upwash/neighborhood/schemes/scheme_search.hpp"

namespace upwash::neighborhoods {

const machine& machine_by_name::get() {
  std::call_once(once_, [this] { read_ = std::make_shared<machine>(load_machine(name_)); });
  return *read_;
}

void install(job& here, machine_by_name& on) { here.service<detail::costs>().on = &on; }

namespace detail {
namespace {

/// What schemes take by all members' estimates. Collective: their plans, and two reductions.
std::vector<double> times_of(neighborhood_state& of, std::span<const chosen_scheme> schemes,
                             contents what, layout_maker lay_out, const machine& on) {
  std::vector<std::shared_ptr<const relay_call>> calls;
  std::vector<std::uint64_t> own;
  for (const chosen_scheme& each : schemes) {
    calls.push_back(lay_out(of.plan_of(text_of(each), what)));
    own.push_back(rounds_of(calls.back()->layout().plan()));
  }
  std::vector<std::uint64_t> rounds(own.size());
  all_reduce<most>(of.among(), blocking, std::span<const std::uint64_t>(own),
                   std::span<std::uint64_t>(rounds));
  scheme_costs table(rounds, of.nodes().nodes());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    table.add(i, calls[i]->layout(), of.among().rank(), of.nodes(), on);
  }
  all_reduce<most>(of.among(), blocking, in_place, table.slowest());
  all_reduce<sum>(of.among(), blocking, in_place, table.adapters());
  std::vector<double> times;
  for (std::size_t i = 0; i < calls.size(); ++i) times.push_back(table.nanoseconds(i));
  return times;
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

std::string choose_scheme(neighborhood_state& of, contents what, std::uint64_t bytes,
                          layout_maker lay_out) {
  machine_by_name* machine_of_job = of.among().here().service<costs>().on;
  const auto say = [&of](const std::string& why) {
    if (of.among().rank() == 0) log(log_level::info, "neighborhood", why);
  };
  if (machine_of_job == nullptr) {
    const char* usual = of.where().shares_memory ? "shared" : "direct";
    say(fmt::format("{}; why: the job knows no machine to choose by", usual));
    return usual;
  }
  const machine& on = machine_of_job->get();
  if (sharing_is_best(of, what, on)) {
    say("shared; why: members share memory, and to read what neighbours have takes no longer than "
        "two rounds of messages");
    return "shared";
  }
  scheme_search search({of.where(), of.facts(), of.nodes(), on}, bytes);
  std::string planned;
  for (auto next = search.next(); !next.empty(); next = search.next()) {
    for (const chosen_scheme& each : next) planned += fmt::format(" {}", text_of(each));
    search.took(times_of(of, next, what, lay_out, on));
  }
  say(
      fmt::format("{} for blocks of {} bytes; why: {:.2f} us by estimate, direct {:.2f} us; "
                  "planned:{}",
                  text_of(search.found()), bytes, search.nanoseconds() / 1000,
                  search.direct_nanoseconds() / 1000, planned));
  return text_of(search.found());
}

}  // namespace detail
}  // namespace upwash::neighborhoods
