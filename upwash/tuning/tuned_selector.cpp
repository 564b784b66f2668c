// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/tuned_selector.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/core/control.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/tuning/contended.hpp"

namespace upwash::tuning {
namespace {

using collective::problem;
using collective::registry;
using collective::selection;

/// Of so many results prices are asked for: a first call is not held up.
constexpr std::size_t most_corrected = 5;

struct candidate {
  selection what;
  double ns = 0;
};

/// Those that serve, the fastest first.
std::vector<candidate> that_serve(const registry& from, const problem& call, const finding& found) {
  std::vector<candidate> serve;
  for (const result& each : found.results) {
    const selection what = from.named(call.of, each.algorithm);
    if (registry::objection(what, call).empty()) serve.push_back({what, each.ns});
  }
  std::stable_sort(serve.begin(), serve.end(),
                   [](const candidate& a, const candidate& b) { return a.ns < b.ns; });
  return serve;
}

std::string where_measured(const finding& found, std::string_view file) {
  return fmt::format("{} bytes among {} ranks, {} a node, {} ({} of {} candidates, {:.1f} s, {})",
                     found.at.bytes, found.at.ranks, found.at.ranks_per_node,
                     to_string(found.at.where), found.results.size(), found.candidates,
                     found.seconds, file);
}

}  // namespace

tuned_selector::tuned_selector(std::string machine_name) : machine_(std::move(machine_name)) {
  make_model();
}

void tuned_selector::make_model() {
  model_ = collective::make_model_selector(machine_);
  model_->remember_in(&prices_);
}

void tuned_selector::choose_for(std::string machine_name) {
  if (machine_name == machine_) return;  // ranks of one process share this
  machine_ = std::move(machine_name);
  make_model();
  predictor_.reset();
  looked_for_machine_ = false;
  estimates_.clear();
}

void tuned_selector::learn(knowledge known, std::string name) {
  known_ = std::move(known);
  file_ = std::move(name);
  estimates_.clear();
}

const collective::predictor* tuned_selector::predicts() {
  if (!std::exchange(looked_for_machine_, true)) {
    try {
      predictor_.emplace(load_machine(machine_));
    } catch (const error&) {
      // The model selector, asked next, says why.
    }
  }
  return predictor_ ? &*predictor_ : nullptr;
}

const collective::selector::choice& tuned_selector::choose(const registry& from,
                                                           const problem& call) {
  auto found = remembered(from, call);
  if (!found && network_) found = by_packets(from, call);
  if (!found) return model_->choose(from, call);
  chosen_ = std::move(*found);
  return chosen_;
}

void tuned_selector::see_contention(std::shared_ptr<const model::topology> network) {
  network_ = std::move(network);
  estimates_.clear();
}

const tuned_selector::estimates& tuned_selector::replayed(const registry& from,
                                                          const problem& stands_for_all) {
  if (const estimates* kept = estimates_.find(stands_for_all)) return *kept;
  const contended_predictor contended(load_machine(machine_), network_);
  const choice by_model = model_->choose(from, stands_for_all);
  estimates found;
  std::vector<collective::ranked> all = by_model.others;
  all.insert(all.begin(), {by_model.what, {}});
  for (const collective::ranked& each : all) {
    const auto time = contended.predict(each.what, stands_for_all);
    if (!time && found.by_time.empty()) break;
    if (time) found.add(each.what, *time);
  }
  return estimates_.add(stands_for_all, std::move(found));
}

std::optional<collective::selector::choice> tuned_selector::by_packets(const registry& from,
                                                                       const problem& call) {
  const estimates& times = replayed(from, class_of(call));
  auto serve = times.that_serve(call);
  if (!serve.empty()) {
    const selection first = serve.front().what;
    serve.erase(serve.begin());
    return choice{first,
                  fmt::format("packets on {}, of what the model has near its choice: {}",
                              network_->name(), times.text),
                  std::move(serve), times.by_time};
  }
  choice chosen = model_->choose(from, call);
  chosen.why +=
      fmt::format("; not replayed on {}: too many packets, or lengths known at run time only",
                  network_->name());
  return chosen;
}

/// A tuning run measures no sparse exchanges (how many messages there are would be part of what was
/// measured), nor what travels as somebody asked for.
std::optional<collective::selector::choice> tuned_selector::remembered(const registry& from,
                                                                       const problem& call) {
  if (known_.findings().empty() || call.known_senders || call.degree != 0 || call.transfer) {
    return std::nullopt;
  }
  const situation here = situation_of(call, placement::near);
  const finding* exact = known_.nearest(here, 0);
  if (exact != nullptr) {
    if (auto found = measured_here(from, call, *exact)) return found;
  }
  return corrected(from, call);
}

std::optional<collective::selector::choice> tuned_selector::measured_here(
    const registry& from, const problem& call, const finding& found) const {
  const std::vector<candidate> serve = that_serve(from, call, found);
  if (serve.empty()) return std::nullopt;
  choice made{serve.front().what,
              fmt::format("it took {:.2f} us, the least measured at {}", serve.front().ns * 1e-3,
                          where_measured(found, file_))};
  for (const candidate& each : serve) {
    made.considered.push_back({each.what, duration::from_ns(each.ns)});
  }
  return made;
}

problem tuned_selector::class_of(const problem& call) {
  return collective::representative_of(
      call, predicts() == nullptr ? 1 : predictor_->on().ranks_in(level_kind::node));
}

std::optional<collective::selector::choice> tuned_selector::corrected(const registry& from,
                                                                      const problem& call) {
  const problem stands_for_all = class_of(call);
  const finding* found = known_.nearest(situation_of(stands_for_all, placement::near), reach);
  if (found == nullptr || predicts() == nullptr) return std::nullopt;
  const estimates* times = estimates_.find(stands_for_all);
  if (times == nullptr) {
    times = &estimates_.add(stands_for_all, estimated(from, stands_for_all, *found));
  }
  const auto serve = times->that_serve(call);
  if (serve.empty()) return std::nullopt;
  return choice{serve.front().what,
                fmt::format("the measurements at {}, corrected by prices on {}: {}",
                            where_measured(*found, file_), predictor_->on().name, times->text),
                {},
                times->by_time};
}

tuned_selector::estimates tuned_selector::estimated(const registry& from, const problem& call,
                                                    const finding& found) {
  std::vector<candidate> serve = that_serve(from, call, found);
  if (serve.size() > most_corrected) serve.resize(most_corrected);
  const problem there = moved_to(found.at, call);
  const std::uint64_t most_steps =
      collective::steps_worth_a_choice(std::max(call.ranks, there.ranks));
  estimates all;
  double log_excess = 0;  // of measured times over predicted ones
  for (const candidate& each : serve) {
    if (!registry::objection(each.what, there).empty()) continue;
    const auto at_call = predictor_->predict(each.what, call, most_steps).time;
    const auto at_found = predictor_->predict(each.what, there, most_steps).time;
    if (!at_call || !at_found || at_found->ps() == 0) continue;
    all.add(each.what, duration::from_ns(each.ns * at_call->ns() / at_found->ns()));
    log_excess += std::log(each.ns / at_found->ns());
  }
  if (all.by_time.empty()) return all;
  const choice& by_model = model_->choose(from, call);
  const std::string model_name = text_of(by_model.what);
  const bool known = std::any_of(found.results.begin(), found.results.end(),
                                 [&](const result& each) { return each.algorithm == model_name; });
  if (const auto time = predictor_->predict(by_model.what, call, most_steps).time; time && !known) {
    const double excess = std::exp(log_excess / static_cast<double>(all.by_time.size()));
    all.add(by_model.what, duration::from_ns(time->ns() * excess));
  }
  return all;
}

void tuned_selector::estimates::add(const selection& what, duration time) {
  text += fmt::format("{}{} {:.2f} us", text.empty() ? "" : ", ", text_of(what), time.us());
  const auto behind = std::find_if(by_time.begin(), by_time.end(),
                                   [&](const auto& each) { return *each.predicted > time; });
  by_time.insert(behind, {what, time});
}

std::vector<collective::ranked> tuned_selector::estimates::that_serve(const problem& call) const {
  std::vector<collective::ranked> serve;
  for (const collective::ranked& each : by_time) {
    if (registry::objection(each.what, call).empty()) serve.push_back(each);
  }
  return serve;
}

std::pair<knowledge, std::string> load_knowledge(const tuning_request& asked,
                                                 const registry& algorithms) {
  const std::string name = tuning_name(asked.conduit, asked.simulated_machine());
  const tuning_source source = find_tuning_file(asked.asked, name);
  if (source.path.empty()) return {};
  try {
    const auto text = read_tuning_text(source.path);
    if (!text) {
      throw error(error_kind::configuration,
                  fmt::format("{}: there is no such file; upwash tune writes one", source.path));
    }
    knowledge known = parse_tuning(*text, source.path,
                                   origin_of(asked.conduit, asked.simulated_machine()), algorithms);
    log(log_level::info, "tuning",
        fmt::format("{}: {} situations are known, {} kinds of streams, {} classes of calls are "
                    "priced",
                    source.path, known.findings().size(), known.streams().size(),
                    known.prices().size()));
    return {std::move(known), source.path};
  } catch (const error& wrong) {
    log(log_level::warning, "tuning",
        fmt::format("the tuning file is not used, the model chooses: {}", wrong.what()));
    return {};
  }
}

namespace {

/// For which machine prices are made.
enum class priced_machine : std::uint8_t {
  asked,     ///< that of the knob
  measured,  ///< this one: each rank reads its own file
  presumed,  ///< of a job that spans nodes: what is known of this one, or of the knob's, has no
             ///< network
};

constexpr std::string_view presumed_machine = "ethernet";

/// Empty: there is a measured machine to choose for. Else why not.
std::string objection_to_measured(const tuning_request& asked, const std::string& file) {
  if (file.empty() || ::access(file.c_str(), F_OK) != 0) return "no machine is measured";
  try {
    const machine measured = load_machine(file);
    if (asked.nodes == 1 || measured.levels.back().kind == level_kind::network) return {};
    return fmt::format("{} knows no network", file);
  } catch (const error& wrong) {
    log(log_level::warning, "tuning",
        fmt::format("the measured machine is not used, prices are those of {}: {}",
                    asked.nodes == 1 ? asked.machine : presumed_machine, wrong.what()));
    return "the measured one cannot be read";
  }
}

priced_machine machine_for(const tuning_request& asked) {
  if (asked.machine_named || asked.simulated) return priced_machine::asked;
  const std::string file = own_machine_file();
  const std::string objection = objection_to_measured(asked, file);
  if (objection.empty()) {
    log(log_level::info, "tuning", "prices are those of " + file);
    return priced_machine::measured;
  }
  if (asked.nodes == 1) return priced_machine::asked;
  log(log_level::info, "tuning",
      fmt::format("prices are those of {}: the job spans {} nodes, and {} (upwash tune machine "
                  "--hosts measures them; knob machine, UPWASH_MACHINE, names another)",
                  presumed_machine, asked.nodes, objection));
  return priced_machine::presumed;
}

/// Those of this build, in words.
std::vector<std::uint64_t> prices_in(const knowledge& known, const tuning_request& asked,
                                     const std::string& file, const registry& algorithms) {
  try {
    return price_notes::words_of(known, asked.build, algorithms);
  } catch (const error& wrong) {
    log(log_level::warning, "tuning",
        fmt::format("the prices of {} are not used: {}", file, wrong.what()));
    return {};
  }
}

/// Rank 0's, at all.
template <class Values>
void broadcast_all(job& here, Values& values) {
  if (values.empty()) return;
  control::broadcast(here.world(), 0, std::as_writable_bytes(std::span(values)));
}

void choose_for(priced_machine which, tuned_selector& with) {
  if (which == priced_machine::measured) with.choose_for(own_machine_file());
  if (which == priced_machine::presumed) with.choose_for(std::string(presumed_machine));
}

}  // namespace

void learn_alone(const tuning_request& asked, const registry& algorithms, tuned_selector& with) {
  auto [known, path] = load_knowledge(asked, algorithms);
  with.prices().learn(prices_in(known, asked, path, algorithms));
  if (asked.keeps()) with.prices().note_all();
  with.learn(std::move(known), std::move(path));
  choose_for(machine_for(asked), with);
}

void learn_together(job& here, const tuning_request& asked, const registry& algorithms,
                    tuned_selector& with) {
  struct {
    std::uint64_t length;
    std::uint64_t price_words;
    priced_machine machine;
  } said{};
  std::string text;
  std::string name;
  std::vector<std::uint64_t> prices;
  const origin from{"agreed", asked.conduit};
  if (here.rank() == 0) {
    auto [known, path] = load_knowledge(asked, algorithms);
    prices = prices_in(known, asked, path, algorithms);
    known.keep_prices_of({});
    if (!known.empty()) text = text_of(known, from);
    name = std::move(path);
    said = {text.size(), prices.size(), machine_for(asked)};
  }
  control::broadcast_value(here.world(), 0, said);
  choose_for(said.machine, with);
  prices.resize(said.price_words);
  broadcast_all(here, prices);
  with.prices().learn(prices);
  if (asked.keeps() && here.rank() == 0) with.prices().note_all();
  text.resize(said.length);
  broadcast_all(here, text);
  if (text.empty()) return;
  with.learn(parse_tuning(text, "rank 0's tuning file", from, algorithms),
             name.empty() ? "rank 0's tuning file" : name);
}

}  // namespace upwash::tuning
