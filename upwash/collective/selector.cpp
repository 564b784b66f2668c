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
#include "upwash/collective/detail/choose/shared_prices.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/node_prices.hpp"
#include "upwash/collective/price_memory.hpp"
#include "upwash/collective/price_words.hpp"
#include "upwash/collective/problem_cache.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::collective {
namespace {

constexpr double notable = 1.03;       ///< less of a difference says nothing
constexpr double near_price = 2;       ///< so many times the best price may be wrong
constexpr double near_for_sizes = 4;   ///< other sizes of eager edges may make it so much faster
constexpr int few_ranks = 32;          ///< prices of larger teams are dear, and spared by bounds:
constexpr std::size_t most_sized = 2;  ///< so many are tried with other sizes there
constexpr std::size_t most_others = 8;
constexpr std::string_view default_machine = "laptop";  ///< for prices, where there is no other

/// What prices say of a class of problems.
struct price_list {
  std::vector<ranked> all;  ///< in the registry's order; then the best other values
  std::string text;
};

price_list price_list_of(std::vector<ranked> all) {
  price_list made{std::move(all), {}};
  for (const ranked& each : made.all) {
    made.text +=
        fmt::format(", {} {}", text_of(each.what),
                    each.predicted ? fmt::format("{:.2f} us", each.predicted->us()) : "not priced");
  }
  return made;
}

/// Who prices the same is waited for as long as this: about what it takes where prices are dear.
duration patience_for(int ranks) noexcept {
  return duration::from_us(1000.0 * std::clamp(ranks, 2, 1000));
}

/// Why algorithms cannot serve the call, for the reason of a choice.
std::string objections(const registry& from, const problem& call) {
  std::string text;
  for (const algorithm* each : from.of(call.of)) {
    const std::string why = registry::objection({each, model::initial_values(each->is)}, call);
    if (!why.empty()) text += "; " + why;
  }
  return text;
}

/// Whether it cuts into segments that travel eagerly only where the most do that can.
bool has_segments(const selection& one, const problem& call) {
  const auto parameters = one.chosen->is.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].tries == model::trial::sizes && one.with[i] > call.eager_bytes &&
        one.with[i] <= call.eager_limit) {
      return true;
    }
  }
  return false;
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

  std::uint64_t usual_eager_bytes(const problem& call) override {
    return predicts()->eager().usual(call);
  }

  void share_prices(node_prices* with) noexcept override { others_ = with; }
  void remember_in(price_memory* memory) noexcept override { memory_ = memory; }

  const predictor* predicts() override {
    if (!predicts_) read_machine();
    return &*predicts_;
  }

 private:
  /// Of all variants together: another candidate or two where prices are dear.
  static constexpr std::uint64_t steps_for_variants = 60'000;
  /// So many algorithms are tried with other values than their initial ones.
  static constexpr std::size_t most_refined = 3;
  /// Other values may make an algorithm so many times as fast: it is priced that far.
  static constexpr std::int64_t patience = 8;
  /// Where there are none, other sizes of eager edges may.
  static constexpr auto patience_without_values = static_cast<std::int64_t>(near_for_sizes);

  /// So many classes are kept: some KiB each.
  static constexpr std::size_t most_kept = 256;

  [[nodiscard]] const price_list& prices_for(const registry& from, const problem& call,
                                             end_of_class end);
  [[nodiscard]] std::vector<ranked> known_or_priced(const registry& from,
                                                    const problem& stands_for_all) const;
  [[nodiscard]] std::vector<ranked> heard_or_priced(const registry& from,
                                                    const problem& stands_for_all,
                                                    const std::vector<std::uint64_t>& key) const;
  [[nodiscard]] std::vector<ranked> priced(const registry& from,
                                           const problem& stands_for_all) const;
  /// A price, and what sends carry.
  struct price {
    ranked of;
    std::uint64_t edge_sizes = 0;
    duration least{};  ///< that it can be
  };
  [[nodiscard]] bool may_be_near(const selection& initial, const problem& call, duration best,
                                 duration its_least) const;
  void refine(std::vector<price>& found, const problem& call, detail::shared_prices& prices) const;
  [[nodiscard]] static std::optional<price> best_variant(const price& of, const problem& call,
                                                         duration& least, std::uint64_t& walked,
                                                         detail::shared_prices& prices);
  [[nodiscard]] std::optional<ranked> best_size(const price& of, const problem& call,
                                                duration& least) const;
  [[nodiscard]] std::optional<choice> cheapest(const registry& from, const problem& call,
                                               const price_list& prices) const;
  [[nodiscard]] choice unpriced(const registry& from, const problem& call) const;
  void read_machine();

  const std::string name_;
  std::optional<predictor> predicts_;
  std::string instead_;  ///< why prices are those of another machine
  problem_cache<price_list> prices_{most_kept};
  node_prices* others_ = nullptr;   ///< who may know prices
  price_memory* memory_ = nullptr;  ///< the same, of earlier jobs
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

/// The best of an algorithm's other values, where it is notably better. Segments are as large as
/// travels eagerly, so they are also tried with the largest that can.
std::optional<model_selector::price> model_selector::best_variant(const price& of,
                                                                  const problem& call,
                                                                  duration& least,
                                                                  std::uint64_t& walked,
                                                                  detail::shared_prices& prices) {
  const std::uint64_t most_steps = steps_worth_a_choice(call.ranks);
  const std::uint64_t most_walked = std::max(most_steps, steps_for_variants);
  std::optional<price> best;
  const auto consider = [&](const selection& one) {
    const auto [time, steps, edge_sizes] = prices.predict(one, most_steps, least);
    walked += steps;
    if (time && (!best || *time < *best->of.predicted)) {
      best = price{{one, time}, edge_sizes};
      least = std::min(least, *time);
    }
  };
  const std::vector<selection> all = candidates_of(*of.of.what.chosen, call);
  for (std::size_t i = 1; i < all.size() && walked < most_walked; ++i) consider(all[i]);
  for (std::size_t i = 1; i < all.size() && walked < most_walked; ++i) {
    if (call.eager_limit <= call.eager_bytes || !has_segments(all[i], call)) continue;
    selection eager = all[i];
    eager.eager_bytes = call.eager_limit;
    consider(eager);
  }
  if (best && best->of.predicted->ns() * notable < of.of.predicted->ns()) return best;
  return std::nullopt;
}

/// The best of other sizes of eager edges, where it is notably better.
std::optional<ranked> model_selector::best_size(const price& of, const problem& call,
                                                duration& least) const {
  std::optional<ranked> best;
  for (const ranked& each : with_other_eager_sizes(of.of.what, of.edge_sizes, call, *predicts_,
                                                   steps_worth_a_choice(call.ranks), least)) {
    if (!best || *each.predicted < *best->predicted) best = each;
    least = std::min(least, *each.predicted);
  }
  if (best && best->predicted->ns() * notable < of.of.predicted->ns()) return best;
  return std::nullopt;
}

/// Adds the best values of the algorithms that are cheapest with their initial ones, and then the
/// best sizes of eager edges of all that are near.
void model_selector::refine(std::vector<price>& found, const problem& call,
                            detail::shared_prices& prices) const {
  const auto by_price_of = [](std::vector<price> all) {
    std::erase_if(all, [](const price& each) { return !each.of.predicted; });
    std::stable_sort(all.begin(), all.end(), [](const price& a, const price& b) {
      return *a.of.predicted < *b.of.predicted;
    });
    return all;
  };
  std::vector<price> by_price = by_price_of(found);
  if (by_price.empty()) return;
  if (by_price.size() > most_refined) by_price.resize(most_refined);
  std::uint64_t walked = 0;
  duration least = *by_price.front().of.predicted;
  for (const price& each : by_price) {
    if (auto better = best_variant(each, call, least, walked, prices)) found.push_back(*better);
  }
  by_price = by_price_of(found);
  if (call.ranks > few_ranks && by_price.size() > most_sized) by_price.resize(most_sized);
  for (const price& each : by_price) {
    if (each.of.predicted->ns() > near_for_sizes * least.ns()) break;
    if (auto better = best_size(each, call, least)) found.push_back({*better, each.edge_sizes});
  }
}

const price_list& model_selector::prices_for(const registry& from, const problem& call,
                                             end_of_class end) {
  if (!predicts_) read_machine();
  const problem stands_for_all =
      representative_of(call, predicts_->on().ranks_in(level_kind::node), end);
  if (const price_list* kept = prices_.find(stands_for_all)) return *kept;
  return prices_.add(stands_for_all, price_list_of(known_or_priced(from, stands_for_all)));
}

/// Of an earlier job or of another process of the node, where one has made them.
std::vector<ranked> model_selector::known_or_priced(const registry& from,
                                                    const problem& stands_for_all) const {
  if (others_ == nullptr && memory_ == nullptr) return priced(from, stands_for_all);
  const kind of = stands_for_all.of;
  std::vector<std::uint64_t> key = key_words(from, stands_for_all, predicts_->on());
  if (key.empty()) return priced(from, stands_for_all);
  if (memory_ != nullptr) {
    if (const auto known = memory_->recall(key)) return list_of(from, of, *known);
  }
  std::vector<ranked> made = heard_or_priced(from, stands_for_all, key);
  if (memory_ != nullptr) memory_->note(of, key, list_words(from, of, made));
  return made;
}

std::vector<ranked> model_selector::heard_or_priced(const registry& from,
                                                    const problem& stands_for_all,
                                                    const std::vector<std::uint64_t>& key) const {
  if (others_ == nullptr) return priced(from, stands_for_all);
  node_prices::turn mine(*others_, key, patience_for(stands_for_all.ranks));
  if (mine.heard()) return list_of(from, stands_for_all.of, *mine.heard());
  std::vector<ranked> made = priced(from, stands_for_all);
  mine.tell(list_words(from, stands_for_all.of, made));
  return made;
}

/// Whether the algorithm may be among the best, given the best so far.
bool model_selector::may_be_near(const selection& initial, const problem& call, duration best,
                                 duration its_least) const {
  if (best == duration::max() || its_least.ns() <= near_price * best.ns()) return true;
  const std::vector<selection> all = candidates_of(*initial.chosen, call);
  return std::any_of(all.begin(), all.end(), [&](const selection& each) {
    return predicts_->least(each, call, best) <= best;
  });
}

std::vector<ranked> model_selector::priced(const registry& from,
                                           const problem& stands_for_all) const {
  std::vector<price> all;
  const bool are_dear = stands_for_all.ranks > few_ranks;
  for (const algorithm* each : from.of(stands_for_all.of)) {
    const selection candidate{each, model::initial_values(each->is)};
    if (!registry::objection(candidate, stands_for_all).empty()) continue;
    const duration least = are_dear ? predicts_->least(candidate, stands_for_all) : duration();
    all.push_back({{candidate, {}}, 0, least});
  }
  // First what may be cheapest: the others then need not be priced to their ends.
  std::vector<price*> order;
  for (price& each : all) order.push_back(&each);
  std::stable_sort(order.begin(), order.end(),
                   [](const price* a, const price* b) { return a->least < b->least; });
  detail::shared_prices prices(*predicts_, stands_for_all);
  duration best = duration::max();
  for (price* each : order) {
    if (!may_be_near(each->of.what, stands_for_all, best, each->least)) continue;
    const bool has_values = !each->of.what.chosen->is.parameters.empty();
    const duration enough =
        best == duration::max() ? best : best * (has_values ? patience : patience_without_values);
    const auto seen =
        prices.predict(each->of.what, steps_worth_a_choice(stands_for_all.ranks), enough);
    each->of.predicted = seen.time;
    each->edge_sizes = seen.edge_sizes;
    if (seen.time) best = std::min(best, *seen.time);
  }
  refine(all, stands_for_all, prices);
  std::vector<ranked> made;
  made.reserve(all.size());
  for (const price& each : all) made.push_back(each.of);
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
                near(std::move(serve), best), prices.all};
}

selector::choice model_selector::unpriced(const registry& from, const problem& call) const {
  std::optional<selection> best;
  std::uint64_t least = UINT64_MAX;
  for (const algorithm* each : from.of(call.of)) {
    const selection one{each, model::initial_values(each->is)};
    if (!registry::objection(one, call).empty()) continue;
    const std::uint64_t effort = effort_of_a_rank(one, call);
    if (best && effort >= least) continue;
    best = one;
    least = effort;
  }
  if (!best) {
    throw error(error_kind::argument,
                fmt::format("no algorithm serves this {} of {} ranks{}", to_string(call.of),
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
