// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/selector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/collective/problem_cache.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::collective {
namespace {

constexpr double notable = 1.03;  ///< less of a difference says nothing
constexpr double near_price = 2;  ///< so many times the best price may be wrong
constexpr std::size_t most_others = 8;
constexpr std::string_view default_machine = "laptop";  ///< for prices, where there is no other

/// What prices say of a class of problems.
struct price_list {
  std::vector<ranked> all;  ///< in the registry's order; then the best other values
  std::string text;
};

/// Why algorithms cannot serve the call, for the reason of a choice.
std::string objections(const registry& from, const problem& call) {
  std::string text;
  for (const algorithm* each : from.of(call.what)) {
    const std::string why = registry::objection({each, model::initial_values(each->is)}, call);
    if (!why.empty()) text += "; " + why;
  }
  return text;
}

class model_selector final : public selector {
 public:
  explicit model_selector(std::string machine_name) : name_(std::move(machine_name)) {}

  const choice& choose(const registry& from, const problem& call) override {
    auto found = cheapest(from, call, prices_for(from, call, end_of_class::least));
    // What the largest call of the class cannot have does not hide what others cost.
    if (!found) found = cheapest(from, call, prices_for(from, call, end_of_class::most));
    chosen_ = found ? std::move(*found) : unpriced(from, call);
    return chosen_;
  }

 private:
  /// Of all variants together: another candidate or two where prices are dear.
  static constexpr std::uint64_t steps_for_variants = 60'000;
  /// So many algorithms are tried with other values than their initial ones.
  static constexpr std::size_t most_refined = 3;
  /// Other values may make an algorithm so many times as fast: it is priced that far.
  static constexpr std::int64_t patience = 8;

  /// So many classes are kept: some KiB each.
  static constexpr std::size_t most_kept = 256;

  [[nodiscard]] const price_list& prices_for(const registry& from, const problem& call,
                                             end_of_class end);
  [[nodiscard]] price_list priced(const registry& from, const problem& stands_for_all) const;
  void refine(std::vector<ranked>& found, const problem& call) const;
  [[nodiscard]] std::optional<choice> cheapest(const registry& from, const problem& call,
                                               const price_list& prices) const;
  [[nodiscard]] choice unpriced(const registry& from, const problem& call) const;
  void read_machine();

  const std::string name_;
  std::optional<predictor> predicts_;
  std::string instead_;  ///< why prices are those of another machine
  problem_cache<price_list> prices_{most_kept};
  choice chosen_;
};

void model_selector::read_machine() {
  try {
    predicts_.emplace(load_machine(name_));
  } catch (const error& failure) {
    predicts_.emplace(load_machine(default_machine));
    instead_ = fmt::format(", since {}", failure.what());
    log(log_level::warning, "collective",
        fmt::format("prices are those of {}{}", default_machine, instead_));
  }
}

/// Adds the best values of the algorithms that are cheapest with their initial ones.
void model_selector::refine(std::vector<ranked>& found, const problem& call) const {
  std::vector<ranked> by_price;
  for (const ranked& each : found) {
    if (each.predicted) by_price.push_back(each);
  }
  std::stable_sort(by_price.begin(), by_price.end(),
                   [](const ranked& a, const ranked& b) { return *a.predicted < *b.predicted; });
  if (by_price.size() > most_refined) by_price.resize(most_refined);
  if (by_price.empty()) return;
  const std::uint64_t most_steps = steps_worth_a_choice(call.ranks);
  std::uint64_t walked = 0;
  std::optional<duration> least = by_price.front().predicted;
  for (const ranked& each : by_price) {
    std::optional<ranked> best;
    const std::vector<selection> all = candidates_of(*each.what.chosen, call);
    for (std::size_t i = 1; i < all.size() && walked < std::max(most_steps, steps_for_variants);
         ++i) {
      const auto [time, steps] = predicts_->predict(all[i], call, most_steps, *least);
      walked += steps;
      if (!time || (best && *time >= *best->predicted)) continue;
      best = ranked{all[i], time};
      least = std::min(*least, *time);
    }
    if (best && best->predicted->ns() * notable < each.predicted->ns()) found.push_back(*best);
  }
}

const price_list& model_selector::prices_for(const registry& from, const problem& call,
                                             end_of_class end) {
  if (!predicts_) read_machine();
  const problem stands_for_all =
      representative_of(call, predicts_->on().ranks_in(level_kind::node), end);
  if (const price_list* kept = prices_.find(stands_for_all)) return *kept;
  return prices_.add(stands_for_all, priced(from, stands_for_all));
}

price_list model_selector::priced(const registry& from, const problem& stands_for_all) const {
  price_list made;
  const std::uint64_t most_steps = steps_worth_a_choice(stands_for_all.ranks);
  duration enough = duration::max();
  for (const algorithm* each : from.of(stands_for_all.what)) {
    const selection candidate{each, model::initial_values(each->is)};
    if (!registry::objection(candidate, stands_for_all).empty()) continue;
    const auto time = predicts_->predict(candidate, stands_for_all, most_steps, enough).time;
    made.all.push_back({candidate, time});
    if (time) enough = std::min(enough, *time * patience);
  }
  refine(made.all, stands_for_all);
  for (const ranked& each : made.all) {
    made.text +=
        fmt::format(", {} {}", model::text_of(each.what.chosen->is, each.what.with),
                    each.predicted ? fmt::format("{:.2f} us", each.predicted->us()) : "not priced");
  }
  return made;
}

/// The cheapest by far, or the first of those that are as cheap. All have a price.
ranked best_of(const std::vector<ranked>& serve) {
  const ranked* best = &serve.front();
  for (const ranked& each : serve) {
    if (each.predicted->ns() * notable < best->predicted->ns()) best = &each;
  }
  return *best;
}

/// Those of a price near the best's, in predicted order, without it.
std::vector<ranked> near(std::vector<ranked> serve, const ranked& best) {
  std::erase_if(serve, [&](const ranked& each) {
    return each.what == best.what || each.predicted->ns() > near_price * best.predicted->ns();
  });
  std::stable_sort(serve.begin(), serve.end(),
                   [](const ranked& a, const ranked& b) { return *a.predicted < *b.predicted; });
  if (serve.size() > most_others) serve.resize(most_others);
  return serve;
}

/// Prices are those of the class; what serves is asked for this very call. Nothing: nothing that
/// serves has a price.
std::optional<selector::choice> model_selector::cheapest(const registry& from, const problem& call,
                                                         const price_list& prices) const {
  std::vector<ranked> serve;
  for (const ranked& each : prices.all) {
    if (each.predicted && registry::objection(each.what, call).empty()) serve.push_back(each);
  }
  if (serve.empty()) return std::nullopt;
  const ranked best = best_of(serve);
  return choice{best.what,
                fmt::format("the prices on {}{}{}{}", predicts_->on().name, instead_, prices.text,
                            objections(from, call)),
                near(std::move(serve), best)};
}

selector::choice model_selector::unpriced(const registry& from, const problem& call) const {
  std::optional<selection> best;
  std::uint64_t least = UINT64_MAX;
  for (const algorithm* each : from.of(call.what)) {
    const selection one{each, model::initial_values(each->is)};
    if (!registry::objection(one, call).empty()) continue;
    const std::uint64_t effort = effort_of_a_rank(one, call);
    if (best && effort >= least) continue;
    best = one;
    least = effort;
  }
  if (!best) {
    throw error(error_kind::argument,
                fmt::format("no algorithm serves this {} of {} ranks{}", to_string(call.what),
                            call.ranks, objections(from, call)));
  }
  return {*best, fmt::format("nothing that serves could be priced on {}; with this one a rank has "
                             "the least to move, in messages and bytes{}",
                             predicts_->on().name, objections(from, call))};
}

}  // namespace

std::unique_ptr<selector> make_model_selector(std::string machine_name) {
  return std::make_unique<model_selector>(std::move(machine_name));
}

}  // namespace upwash::collective
