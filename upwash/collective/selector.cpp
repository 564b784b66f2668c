// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/selector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::collective {
namespace {

/// Sizes between two powers of two are one shape: prices differ little within.
struct shape {
  kind what;
  int ranks;
  int size_class;
  int root;
  int ranks_per_node;
  int degree_class;
  bool known_senders;
  bool in_place;
  bool commutative;
  bool direct_access;
  bool network_collectives;
  std::uint64_t shared_scratch;
  schedule::address_mode addresses;
  schedule::sync_mode entry;
  std::uint64_t eager_bytes;
  bool overlapped;
  friend auto operator<=>(const shape&, const shape&) = default;
};

shape shape_of(const problem& call) {
  return {.what = call.what,
          .ranks = call.ranks,
          .size_class = static_cast<int>(std::bit_width(call.bytes)),
          .root = call.root,
          .ranks_per_node = call.ranks_per_node,
          .degree_class = static_cast<int>(std::bit_width(static_cast<unsigned>(call.degree))),
          .known_senders = call.known_senders,
          .in_place = call.in_place,
          .commutative = call.commutative,
          .direct_access = call.direct_access,
          .network_collectives = call.network_collectives,
          .shared_scratch = call.shared_scratch,
          .addresses = call.addresses,
          .entry = call.entry,
          .eager_bytes = call.eager_bytes,
          .overlapped = call.overlapped};
}

class model_selector final : public selector {
 public:
  explicit model_selector(std::string machine_name) : name_(std::move(machine_name)) {}

  const choice& choose(const registry& from, const problem& call) override {
    if (!predicts_ && unknown_.empty()) read_machine();
    const auto [at, fresh] = chosen_.try_emplace(shape_of(call));
    if (fresh) {
      try {
        at->second = cheapest(from, call);
      } catch (...) {
        chosen_.erase(at);
        throw;
      }
    }
    return at->second;
  }

 private:
  /// Of one candidate, and of all variants together: few enough that a first call is not held up
  /// for more than some milliseconds.
  static constexpr std::uint64_t most_steps = 10'000;
  static constexpr std::uint64_t most_steps_of_variants = 60'000;
  /// So many algorithms are tried with other values than their initial ones.
  static constexpr std::size_t most_refined = 3;
  /// Other values may make an algorithm so many times as fast: it is priced that far.
  static constexpr std::int64_t patience = 8;
  static constexpr double notable = 1.03;  ///< less of a difference says nothing
  static constexpr double near_price = 2;  ///< so many times the best price may be wrong
  static constexpr std::size_t most_others = 8;

  [[nodiscard]] choice cheapest(const registry& from, const problem& call) const;
  void refine(std::vector<ranked>& found, const problem& call) const;
  [[nodiscard]] static std::vector<ranked> near(std::vector<ranked> found, const ranked& best);

  void read_machine();

  const std::string name_;
  std::optional<predictor> predicts_;
  std::string unknown_;  ///< why there is no machine
  std::map<shape, choice> chosen_;
};

void model_selector::read_machine() {
  try {
    predicts_.emplace(load_machine(name_));
  } catch (const error& failure) {
    unknown_ = failure.what();
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
  std::uint64_t walked = 0;
  std::optional<duration> least = by_price.front().predicted;
  for (const ranked& each : by_price) {
    std::optional<ranked> best;
    const std::vector<selection> all = candidates_of(*each.what.chosen, call);
    for (std::size_t i = 1; i < all.size() && walked < most_steps_of_variants; ++i) {
      const auto [time, steps] = predicts_->predict(all[i], call, most_steps, *least);
      walked += steps;
      if (!time || (best && *time >= *best->predicted)) continue;
      best = ranked{all[i], time};
      least = std::min(*least, *time);
    }
    if (best && best->predicted->ns() * notable < each.predicted->ns()) found.push_back(*best);
  }
}

/// Those of a price near the best's, in predicted order, without it.
std::vector<ranked> model_selector::near(std::vector<ranked> found, const ranked& best) {
  const ranked chosen = best;
  std::erase_if(found, [&](const ranked& each) {
    return each.what == chosen.what || !each.predicted ||
           each.predicted->ns() > near_price * chosen.predicted->ns();
  });
  std::stable_sort(found.begin(), found.end(),
                   [](const ranked& a, const ranked& b) { return *a.predicted < *b.predicted; });
  if (found.size() > most_others) found.resize(most_others);
  return found;
}

selector::choice model_selector::cheapest(const registry& from, const problem& call) const {
  std::vector<ranked> found;
  std::string objections;
  duration enough = duration::max();
  for (const algorithm* each : from.of(call.what)) {
    const selection candidate{each, model::initial_values(each->is)};
    if (const std::string why = registry::objection(candidate, call); !why.empty()) {
      objections += "; " + why;
    } else if (predicts_) {
      found.push_back({candidate, predicts_->predict(candidate, call, most_steps, enough).time});
      if (found.back().predicted) enough = std::min(enough, *found.back().predicted * patience);
    } else {
      return {candidate, "it is the first that serves; there are no costs: " + unknown_};
    }
  }
  if (found.empty()) {
    throw error(error_kind::argument, fmt::format("no algorithm serves this {} of {} ranks{}",
                                                  to_string(call.what), call.ranks, objections));
  }
  refine(found, call);
  const ranked* best = &found.front();
  std::string prices;
  for (const ranked& each : found) {
    prices +=
        fmt::format(", {} {}", model::text_of(each.what.chosen->is, each.what.with),
                    each.predicted ? fmt::format("{:.2f} us", each.predicted->us()) : "not priced");
    const bool cheaper = each.predicted && (!best->predicted ||
                                            each.predicted->ns() * notable < best->predicted->ns());
    if (cheaper) best = &each;
  }
  selector::choice chosen{
      best->what, fmt::format("the prices on {}{}{}", predicts_->on().name, prices, objections)};
  if (best->predicted) chosen.others = near(found, *best);
  return chosen;
}

}  // namespace

std::unique_ptr<selector> make_model_selector(std::string machine_name) {
  return std::make_unique<model_selector>(std::move(machine_name));
}

}  // namespace upwash::collective
