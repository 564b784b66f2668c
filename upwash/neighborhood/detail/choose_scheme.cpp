// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/detail/choose_scheme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "upwash/base/log.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/problem.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/neighborhood/detail/neighborhood_state.hpp"
#include "upwash/neighborhood/relay/estimate.hpp"
#include "upwash/neighborhood/relay/plan_outline.hpp"
#include "upwash/neighborhood/relay/price_plans.hpp"
#include "upwash/neighborhood/schemes/scheme_search.hpp"

namespace upwash::neighborhoods {

const machine& machine_by_name::get() {
  std::call_once(once_, [this] { read_ = std::make_shared<machine>(load_machine(name_)); });
  return *read_;
}

void install(job& here, machine_by_name& on) { here.service<detail::costs>().on = &on; }

namespace detail {
namespace {

/// Picoseconds, so that they are the same at all members.
constexpr double ps_of_ns = 1000;

/// Members look at schemes together. Every function is collective and blocking.
class schemes_together {
 public:
  schemes_together(neighborhood_state& of, contents what, layout_maker lay_out,
                   const cost_terms& in)
      : of_(of), what_(what), lay_out_(lay_out), in_(in) {}

  /// By all members' estimates: their plans, and three reductions.
  std::vector<estimated_scheme> estimates(std::span<const chosen_scheme> schemes) {
    std::vector<std::uint64_t> own;
    for (const chosen_scheme& each : schemes) own.push_back(rounds_of(layout(each).plan()));
    std::vector<std::uint64_t> rounds(own.size());
    all_reduce<most>(of_.among(), blocking, std::span<const std::uint64_t>(own),
                     std::span<std::uint64_t>(rounds));
    scheme_costs table(rounds, of_.nodes().nodes());
    for (std::size_t i = 0; i < schemes.size(); ++i) {
      table.add(i, layout(schemes[i]), of_.among().rank(), in_);
    }
    all_reduce<most>(of_.among(), blocking, in_place, table.slowest());
    all_reduce<sum>(of_.among(), blocking, in_place, table.sums());
    std::vector<estimated_scheme> all;
    for (std::size_t i = 0; i < schemes.size(); ++i) {
      all.push_back({table.nanoseconds(i), table.messages(i)});
    }
    return all;
  }

  /// In nanoseconds. Each scheme is priced by another member, to which all send what they do.
  std::vector<double> prices(std::span<const scheme_search::seen> schemes) {
    const team& among = of_.among();
    std::vector<letter> going;
    for (std::size_t i = 0; i < schemes.size(); ++i) {
      const plan_outline mine(layout(schemes[i].is), shared_scratch);
      letter& one = going.emplace_back();
      one.peer = static_cast<int>(i) % among.size();
      one.words.push_back(static_cast<std::int32_t>(i));
      one.words.insert(one.words.end(), mine.words().begin(), mine.words().end());
    }
    std::vector<std::vector<plan_outline>> come(schemes.size());
    for (const letter& each : exchange_letters(among, std::move(going))) {
      come[static_cast<std::size_t>(each.words[0])].emplace_back(
          std::vector(each.words.begin() + 1, each.words.end()));
    }
    std::vector<std::uint64_t> takes(schemes.size());
    for (std::size_t i = 0; i < schemes.size(); ++i) {
      if (come[i].empty()) continue;
      takes[i] = static_cast<std::uint64_t>(price_plans(come[i], in_).ps());
    }
    all_reduce<most>(among, blocking, in_place, std::span<std::uint64_t>(takes));
    std::vector<double> all;
    for (const std::uint64_t each : takes) all.push_back(static_cast<double>(each) / ps_of_ns);
    return all;
  }

 private:
  /// Of a team of all ranks.
  static constexpr std::uint64_t shared_scratch = std::uint64_t{1} << 20U;

  const laid_out_plan& layout(const chosen_scheme& one) {
    auto& kept = calls_[text_of(one)];
    if (!kept) kept = lay_out_(of_.plan_of(text_of(one), what_));
    return kept->layout();
  }

  neighborhood_state& of_;
  contents what_;
  layout_maker lay_out_;
  const cost_terms& in_;
  std::map<std::string, std::shared_ptr<const relay_call>> calls_;
};

/// Where members share memory, no other scheme needs to be planned unless neighbours are many.
bool sharing_is_best(const neighborhood_state& of, contents what, const cost_terms& in) {
  if (!of.where().shares_memory || of.nodes().nodes() > 1) return false;
  const shared_reading most{
      what == contents::same_for_all ? 1.0 : static_cast<double>(of.most_destinations()),
      static_cast<double>(of.most_sources())};
  const int rank = of.among().rank();
  const double reading = estimate(most, rank, looked_at.front(), in);
  return reading <= least_of_relaying(rank, in);
}

std::string names_of(std::span<const scheme_search::seen> schemes) {
  std::string all;
  for (const auto& each : schemes) all += ' ' + text_of(each.is);
  return all;
}

}  // namespace

schedule::transfer_rules rules_of_edges(const team& among) {
  schedule::transfer_rules rules = collective::default_rules(among);
  collective::problem part{.ranks = among.size()};
  part.direct_access = rules.direct;
  part.eager_limit = rules.eager_bytes;
  rules.eager_bytes = collective::usual_eager_bytes(among, part);
  return rules;
}

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
  const cost_terms in{of.nodes(), machine_of_job->get(), rules_of_edges(of.among()).eager_bytes};
  if (sharing_is_best(of, what, in)) {
    say("shared; why: members share memory, and to read what neighbours have takes no longer than "
        "two rounds of messages");
    return "shared";
  }
  schemes_together members(of, what, lay_out, in);
  scheme_search search({of.where(), of.facts(), in}, bytes);
  std::string planned;
  for (auto next = search.next(); !next.empty(); next = search.next()) {
    for (const chosen_scheme& each : next) planned += ' ' + text_of(each);
    search.took(members.estimates(next));
  }
  const auto within = search.within_reach();
  std::size_t best = 0;
  double takes = within[0].takes.nanoseconds;
  if (within.size() > 1) {
    const std::vector<double> prices = members.prices(within);
    best =
        static_cast<std::size_t>(std::min_element(prices.begin(), prices.end()) - prices.begin());
    takes = prices[best];
  }
  const std::string name = text_of(within[best].is);
  say(fmt::format("{} for blocks of {} bytes; why: {:.2f} us {}; planned:{}", name, bytes,
                  takes / 1000,
                  within.size() > 1 ? "by price, the least of" + names_of(within)
                                    : std::string("by estimate, no other is near it"),
                  planned));
  return name;
}

}  // namespace detail
}  // namespace upwash::neighborhoods
