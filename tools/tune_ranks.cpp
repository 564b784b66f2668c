// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `upwash tune` does on its ranks, and what it prints.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/eager_limit.hpp"
#include "tools/pricing_progress.hpp"
#include "tools/tune_request.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/collective/eager_sizes.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/selector.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/tuning/search.hpp"
#include "upwash/tuning/statistics.hpp"
#include "upwash/tuning/trial.hpp"
#include "upwash/tuning/tuning_file.hpp"

namespace upwash::tools {
namespace {

using collective::problem;
using tuning::measured;

/// Of one candidate: enough for some hundred thousand ranks, and a second of thinking at most.
constexpr std::uint64_t most_steps = 2'000'000;

/// What all searches of a run share.
struct workshop {
  explicit workshop(const tune_request& request)
      : asked(request),
        predicts(load_machine(request.machine)),
        untuned(collective::make_model_selector(request.machine)) {
    collective::add_algorithms(algorithms);
  }
  [[nodiscard]] std::vector<collective::ranked> ranking(const problem& call) const {
    const auto all = collective::candidates(algorithms, call);
    pricing_progress progress;
    return collective::ranking(all, call, predicts, most_steps,
                               [&](std::size_t done) { progress.done(done, all.size()); });
  }

  const tune_request& asked;
  collective::registry algorithms;
  collective::predictor predicts;
  std::unique_ptr<collective::selector> untuned;
};

std::string title_of(const problem& call) {
  return call.of == collective::kind::barrier
             ? fmt::format("barrier, {} ranks", call.ranks)
             : fmt::format("{} of {} bytes, {} ranks", to_string(call.of), call.bytes, call.ranks);
}

std::string micros(double ns) { return ns > 0 ? fmt::format("{:.2f}", ns * 1e-3) : "-"; }

/// A bar on terminals: how far, the best so far, the time left.
void show_progress(const problem& call, const tuning::search_progress& now) {
  constexpr std::size_t width = 20;
  const std::size_t filled = width * now.done / std::max<std::size_t>(now.all, 1);
  fmt::print(stderr, "{}[{:#<{}}{:.<{}}] {}/{} {}: best {} {} us, {:.0f} s left\n", progress_mark,
             "", filled, "", width - filled, now.done, now.all, title_of(call), now.best->algorithm,
             micros(now.best->ns), std::max(0.0, now.seconds_left));
}

void print_json(const problem& call, const tuning::search_outcome& outcome) {
  double best = INFINITY;
  for (const measured& each : outcome.order) {
    best = std::min(best, each.ns);
    fmt::print("{}\n", nlohmann::ordered_json{{"bench", "tune"},
                                              {"collective", to_string(call.of)},
                                              {"ranks", call.ranks},
                                              {"bytes", call.bytes},
                                              {"algorithm", each.algorithm},
                                              {"predicted_us", each.predicted_ns * 1e-3},
                                              {"us", each.ns * 1e-3},
                                              {"best_us", best * 1e-3},
                                              {"n", each.samples},
                                              {"seconds", each.seconds},
                                              {"candidates", outcome.found.candidates},
                                              {"placement", to_string(outcome.found.at.where)}}
                           .dump());
  }
}

/// One line a search: before, after, why it ended.
void print_outcome(const problem& call, const tuning::search_outcome& outcome) {
  const measured& before = outcome.order.front();
  const tuning::result& best = outcome.found.best();
  fmt::print("{:<15} {:>8} {:<28} {:>10} {:<28} {:>10} {:>6.2f} {:>4}/{:<4} {:>6.1f}  {}\n",
             to_string(call.of), call.bytes, before.algorithm, micros(before.ns), best.algorithm,
             micros(best.ns), best.ns > 0 ? before.ns / best.ns : 1.0, outcome.order.size(),
             outcome.found.candidates, outcome.found.seconds, outcome.ended);
  std::fflush(stdout);
}

void print_ranking(const problem& call, std::vector<measured> all, bool with_times) {
  std::stable_sort(all.begin(), all.end(), [](const measured& a, const measured& b) {
    return (a.predicted_ns > 0 ? a.predicted_ns : INFINITY) <
           (b.predicted_ns > 0 ? b.predicted_ns : INFINITY);
  });
  fmt::print("# {}; edges of up to {} bytes travel eagerly\n# {:<34} {:>12} {:>12} {:>8}\n",
             title_of(call), call.eager_bytes, "Candidate", "Predicted us",
             with_times ? "Measured us" : "", with_times ? "Ratio" : "");
  std::vector<double> predicted;
  std::vector<double> seen;
  for (const measured& each : all) {
    fmt::print("{:<36} {:>12}", each.algorithm, micros(each.predicted_ns));
    if (with_times) fmt::print(" {:>12}", micros(each.ns));
    if (with_times && each.predicted_ns > 0) {
      fmt::print(" {:>8.2f}", each.ns / each.predicted_ns);
      predicted.push_back(each.predicted_ns);
      seen.push_back(each.ns);
    }
    fmt::print("\n");
  }
  if (!with_times) return;
  const double agreement = tuning::kendall_tau(predicted, seen);
  fmt::print("# Kendall tau of the two orders: {} ({} candidates with a price)\n",
             std::isnan(agreement) ? "none, all are alike" : fmt::format("{:.2f}", agreement),
             predicted.size());
}

tuning::search_options options_of(const tune_request& asked, double budget) {
  tuning::search_options options;
  options.exhaustive = asked.exhaustive || asked.explain;
  options.budget_seconds = budget;
  options.share = asked.share;
  options.samples = asked.samples;
  options.sample_seconds = asked.sample_ms * 1e-3;
  return options;
}

/// One search; what is found goes to the file at once, so that nothing is lost.
void tune_one(job& here, workshop& shop, const problem& call, double budget) {
  std::vector<collective::ranked> ranking;
  collective::selection untuned;
  if (here.rank() == 0) {
    ranking = shop.ranking(call);
    untuned = shop.untuned->choose(shop.algorithms, call).what;
  }
  const auto outcome =
      tuning::search(here, call, untuned, ranking, options_of(shop.asked, budget),
                     [&](const tuning::search_progress& now) { show_progress(call, now); });
  if (here.rank() != 0) return;
  if (shop.asked.json) {
    print_json(call, outcome);
  } else if (shop.asked.explain) {
    print_ranking(call, outcome.order, true);
  } else {
    print_outcome(call, outcome);
  }
  if (shop.asked.output == "none") return;
  tuning::knowledge fresh;
  fresh.add(outcome.found);
  tuning::add_to_file(shop.asked.output, fresh,
                      tuning::origin_of(shop.asked.conduit, simulated_machine(shop.asked)),
                      shop.algorithms);
}

}  // namespace

void explain(const tune_request& asked) {
  const workshop shop(asked);
  const std::uint64_t eager_limit = eager_limit_of(asked.conduit);
  for (problem call : problems_of(asked)) {
    call.eager_limit = eager_limit;
    call.eager_bytes = shop.predicts.eager().usual(call);
    call.ranks_per_node =
        std::min(shop.predicts.on().ranks_in(level_kind::node), std::max(call.ranks, 1));
    std::vector<measured> all;
    for (const collective::ranked& each : shop.ranking(call)) {
      all.push_back({text_of(each.what), each.predicted ? each.predicted->ns() : 0});
    }
    print_ranking(call, std::move(all), false);
    const duration begin = steady_now();
    const std::string chosen = text_of(shop.untuned->choose(shop.algorithms, call).what);
    fmt::print("# jobs choose {} (found in {:.1f} ms)\n", chosen,
               (steady_now() - begin).us() * 1e-3);
    std::fflush(stdout);
  }
}

void tune_on_ranks(job& here, const tune_request& asked) {
  workshop shop(asked);
  const std::vector<problem> calls = problems_of(asked);
  const bool table = here.rank() == 0 && !asked.json && !asked.explain;
  if (table) {
    fmt::print("# {:<13} {:>8} {:<28} {:>10} {:<28} {:>10} {:>6} {:>9} {:>6}  {}\n", "Collective",
               "Size", "Before", "us", "After", "us", "Gain", "Tried", "s", "Ended because");
  }
  const duration begin = steady_now();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const double left = asked.budget_seconds - (steady_now() - begin).seconds();
    const double share = left / static_cast<double>(calls.size() - i);
    tune_one(here, shop, tuning::problem_on(here.world(), calls[i]), std::max(share, 1e-3));
  }
  if (table && asked.output != "none") {
    fmt::print("# written to {}; jobs use it {}\n", asked.output,
               asked.output == tuning::own_tuning_file(
                                   tuning::tuning_name(asked.conduit, simulated_machine(asked)))
                   ? "from now on"
                   : "by UPWASH_TUNING=" + asked.output);
  }
}

}  // namespace upwash::tools
