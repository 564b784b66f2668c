// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/selector.hpp"

#include <fmt/format.h>

#include <bit>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/compact.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/schedule/price.hpp"

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
  schedule::address_mode addresses;
  friend auto operator<=>(const shape&, const shape&) = default;
};

shape shape_of(const problem& call) {
  return {call.what,
          call.ranks,
          static_cast<int>(std::bit_width(call.bytes)),
          call.root,
          call.ranks_per_node,
          static_cast<int>(std::bit_width(static_cast<unsigned>(call.degree))),
          call.known_senders,
          call.in_place,
          call.commutative,
          call.direct_access,
          call.addresses};
}

/// The machine, with what the executor takes for a message.
machine with_edges(machine on) {
  const duration each = on.processor.edge.value_or(duration());
  for (machine_level& level : on.levels) {
    level.send_overhead = level.send_overhead.value_or(duration()) + each;
    level.receive_overhead = level.receive_overhead.value_or(duration()) + each;
    if (level.loggp) level.loggp->gap_ns_per_byte += on.processor.edge_ns_per_byte.value_or(0);
  }
  return on;
}

class model_selector final : public selector {
 public:
  explicit model_selector(std::string machine_name) : name_(std::move(machine_name)) {}

  const choice& choose(const registry& from, const problem& call) override {
    if (!on_ && unknown_.empty()) read_machine();
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
  /// Few enough that a first call is not held up: some milliseconds for all candidates together.
  static constexpr std::uint64_t most_steps = 10'000;

  static constexpr double notable = 1.03;  ///< less of a difference says nothing

  [[nodiscard]] std::optional<duration> price_of(const selection& candidate,
                                                 const problem& call) const;
  [[nodiscard]] choice cheapest(const registry& from, const problem& call) const;

  [[nodiscard]] const machine& seen_by(const selection& candidate, const problem& call) const;

  void read_machine();

  const std::string name_;
  std::optional<machine> on_;
  std::optional<machine> edged_;  ///< the same, as the executor's messages see it
  std::string unknown_;           ///< why there is no machine
  std::map<shape, choice> chosen_;
};

void model_selector::read_machine() {
  try {
    on_ = load_machine(name_);
    edged_ = with_edges(*on_);
  } catch (const error& failure) {
    unknown_ = failure.what();
  }
}

/// What does not run on the board's lines goes through the executor.
const machine& model_selector::seen_by(const selection& candidate, const problem& call) const {
  const schedule::generator steps = candidate.schedule_of(call, call.root);
  const bool fetches = steps.wants().exposes_input || steps.wants().exposes_output;
  return call.direct_access && !fetches && detail::fits_board(steps, call.root) ? *on_ : *edged_;
}

std::optional<duration> model_selector::price_of(const selection& candidate,
                                                 const problem& call) const {
  if (!on_) return std::nullopt;
  schedule::transfer_rules rules;
  rules.addresses = call.addresses;
  rules.direct = call.direct_access;
  schedule::price_options options;
  options.free_where_absent = true;
  options.most_steps = most_steps;
  options.steps_before_skipping = most_steps / 8;
  try {
    return schedule::price(
               call.ranks, [&](int rank) { return candidate.priced_schedule_of(call, rank); },
               seen_by(candidate, call), rules, options)
        .completion;
  } catch (const error&) {
    return std::nullopt;  // too many steps for the time there is, or lengths known at run time only
  }
}

selector::choice model_selector::cheapest(const registry& from, const problem& call) const {
  std::optional<selection> best;
  std::optional<duration> least;
  std::string prices;
  std::string objections;
  for (const algorithm* each : from.of(call.what)) {
    const selection candidate{each, model::initial_values(each->is)};
    if (const std::string why = registry::objection(candidate, call); !why.empty()) {
      objections += "; " + why;
      continue;
    }
    const auto price = price_of(candidate, call);
    prices += fmt::format(", {} {}", each->is.name,
                          price ? fmt::format("{:.2f} us", price->us()) : "not priced");
    const bool cheaper = price && (!least || price->ns() * notable < least->ns());
    if (!best || cheaper) best = candidate;
    if (cheaper) least = price;
  }
  if (!best) {
    throw error(error_kind::argument, fmt::format("no algorithm serves this {} of {} ranks{}",
                                                  to_string(call.what), call.ranks, objections));
  }
  if (!on_) return {*best, "it is the first that serves; there are no costs: " + unknown_};
  return {*best, fmt::format("the prices on {}{}{}", on_->name, prices, objections)};
}

}  // namespace

std::unique_ptr<selector> make_model_selector(std::string machine_name) {
  return std::make_unique<model_selector>(std::move(machine_name));
}

}  // namespace upwash::collective
