// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/tuned_selector.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/core/control.hpp"
#include "upwash/tuning/contended.hpp"

namespace upwash::tuning {
namespace {

using collective::problem;
using collective::registry;
using collective::selection;

/// Of so many results prices are asked for, and of so many steps each: a first call is not held up.
constexpr std::size_t most_corrected = 5;
constexpr std::uint64_t most_steps = 10'000;

struct candidate {
  selection what;
  double ns = 0;
};

/// Those that serve, the fastest first.
std::vector<candidate> that_serve(const registry& from, const problem& call, const finding& found) {
  std::vector<candidate> serve;
  for (const result& each : found.results) {
    const selection what = from.named(call.what, each.algorithm);
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

tuned_selector::tuned_selector(std::string machine_name)
    : machine_(std::move(machine_name)), model_(collective::make_model_selector(machine_)) {}

void tuned_selector::choose_for(std::string machine_name) {
  if (machine_name == machine_) return;  // ranks of one process share this
  machine_ = std::move(machine_name);
  model_ = collective::make_model_selector(machine_);
}

void tuned_selector::learn(knowledge known, std::string name) {
  known_ = std::move(known);
  file_ = std::move(name);
  chosen_.clear();
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
  if (known_.findings().empty() && !network_) return model_->choose(from, call);
  const shape key{situation_of(call, placement::near),
                  call.root,
                  call.in_place,
                  call.direct_access,
                  call.checked,
                  call.eager_bytes};
  const auto kept = chosen_.find(key);
  if (kept != chosen_.end()) return kept->second;
  auto fresh = remembered(from, call);
  if (!fresh && network_) fresh = by_packets(model_->choose(from, call), call);
  if (!fresh) return model_->choose(from, call);  // which keeps it, by what it depends on
  return chosen_.emplace(key, std::move(*fresh)).first->second;
}

void tuned_selector::see_contention(std::shared_ptr<const model::topology> network) {
  network_ = std::move(network);
  chosen_.clear();
}

collective::selector::choice tuned_selector::by_packets(choice chosen, const problem& call) const {
  const contended_predictor contended(load_machine(machine_), network_);
  const auto first = contended.predict(chosen.what, call);
  if (!first) {
    chosen.why += fmt::format(
        "; not replayed on {}: too many packets, or lengths known at run "
        "time only",
        network_->name());
    return chosen;
  }
  const auto text = [](const selection& what, duration time) {
    return fmt::format("{} {:.2f} us", model::text_of(what.chosen->is, what.with), time.us());
  };
  std::string times = text(chosen.what, *first);
  std::vector<collective::ranked> all{{chosen.what, first}};
  for (const collective::ranked& each : chosen.others) {
    const auto time = contended.predict(each.what, call);
    if (!time) continue;
    times += ", " + text(each.what, *time);
    all.push_back({each.what, time});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return *a.predicted < *b.predicted; });
  return {all.front().what,
          fmt::format("packets on {}, of what the model has near its choice: {}", network_->name(),
                      times),
          {all.begin() + 1, all.end()}};
}

std::optional<collective::selector::choice> tuned_selector::remembered(const registry& from,
                                                                       const problem& call) {
  const situation wanted = situation_of(call, placement::near);
  const finding* found = known_.nearest(wanted, reach);
  if (found == nullptr) return std::nullopt;
  return distance(found->at, wanted) == 0 ? measured_here(from, call, *found)
                                          : corrected(from, call, *found);
}

std::optional<collective::selector::choice> tuned_selector::measured_here(
    const registry& from, const problem& call, const finding& found) const {
  const std::vector<candidate> serve = that_serve(from, call, found);
  if (serve.empty()) return std::nullopt;
  return choice{serve.front().what,
                fmt::format("it took {:.2f} us, the least measured at {}", serve.front().ns * 1e-3,
                            where_measured(found, file_))};
}

std::optional<collective::selector::choice> tuned_selector::corrected(const registry& from,
                                                                      const problem& call,
                                                                      const finding& found) {
  std::vector<candidate> serve = that_serve(from, call, found);
  if (serve.empty() || predicts() == nullptr) return std::nullopt;
  if (serve.size() > most_corrected) serve.resize(most_corrected);
  const problem there = moved_to(found.at, call);
  std::optional<candidate> best;
  std::string estimates;
  double log_excess = 0;  // of measured times over predicted ones
  int priced = 0;
  const auto consider = [&](const selection& what, double ns) {
    estimates += fmt::format("{}{} {:.2f} us", estimates.empty() ? "" : ", ",
                             model::text_of(what.chosen->is, what.with), ns * 1e-3);
    if (!best || ns < best->ns) best = candidate{what, ns};
  };
  for (const candidate& each : serve) {
    if (!registry::objection(each.what, there).empty()) continue;
    const auto at_call = predictor_->predict(each.what, call, most_steps).time;
    const auto at_found = predictor_->predict(each.what, there, most_steps).time;
    if (!at_call || !at_found || at_found->ps() == 0) continue;
    consider(each.what, each.ns * at_call->ns() / at_found->ns());
    log_excess += std::log(each.ns / at_found->ns());
    ++priced;
  }
  if (priced == 0) return std::nullopt;
  const choice& by_model = model_->choose(from, call);
  const std::string model_name = model::text_of(by_model.what.chosen->is, by_model.what.with);
  const bool known = std::any_of(found.results.begin(), found.results.end(),
                                 [&](const result& each) { return each.algorithm == model_name; });
  if (const auto time = predictor_->predict(by_model.what, call, most_steps).time; time && !known) {
    consider(by_model.what, time->ns() * std::exp(log_excess / priced));
  }
  return choice{best->what,
                fmt::format("the measurements at {}, corrected by prices on {}: {}",
                            where_measured(found, file_), predictor_->on().name, estimates)};
}

std::pair<knowledge, std::string> load_knowledge(const tuning_request& asked,
                                                 const registry& algorithms) {
  const std::string name = tuning_name(asked.conduit, asked.machine);
  const tuning_source source = find_tuning_file(asked.asked, name);
  if (source.path.empty()) return {};
  try {
    const auto text = read_tuning_text(source.path);
    if (!text) {
      throw error(error_kind::configuration,
                  fmt::format("{}: there is no such file; upwash tune writes one", source.path));
    }
    knowledge known =
        parse_tuning(*text, source.path, origin_of(asked.conduit, asked.machine), algorithms);
    log(log_level::info, "tuning",
        fmt::format("{}: {} situations are known, {} kinds of streams", source.path,
                    known.findings().size(), known.streams().size()));
    return {std::move(known), source.path};
  } catch (const error& wrong) {
    log(log_level::warning, "tuning",
        fmt::format("the tuning file is not used, the model chooses: {}", wrong.what()));
    return {};
  }
}

namespace {

/// Whether there is a measured machine to choose for, and it can be read.
bool prefers_measured(const tuning_request& asked) {
  const std::string file = own_machine_file();
  if (asked.machine_named || asked.conduit == "sim" || file.empty()) return false;
  if (::access(file.c_str(), F_OK) != 0) return false;
  try {
    static_cast<void>(load_machine(file));
    log(log_level::info, "tuning", "prices are those of " + file);
    return true;
  } catch (const error& wrong) {
    log(log_level::warning, "tuning",
        fmt::format("the measured machine is not used, prices are those of {}: {}", asked.machine,
                    wrong.what()));
    return false;
  }
}

}  // namespace

void learn_alone(const tuning_request& asked, const registry& algorithms, tuned_selector& with) {
  auto [known, path] = load_knowledge(asked, algorithms);
  with.learn(std::move(known), std::move(path));
  if (prefers_measured(asked)) with.choose_for(own_machine_file());
}

void learn_together(job& here, const tuning_request& asked, const registry& algorithms,
                    tuned_selector& with) {
  struct {
    std::uint64_t length;
    std::uint64_t measured;
  } said{};
  std::string text;
  std::string name;
  const origin from{"agreed", asked.conduit};
  if (here.rank() == 0) {
    auto [known, path] = load_knowledge(asked, algorithms);
    if (!known.empty()) text = text_of(known, from);
    name = std::move(path);
    said = {text.size(), prefers_measured(asked) ? 1U : 0U};
  }
  control::broadcast_value(here.world(), 0, said);
  if (said.measured != 0) with.choose_for(own_machine_file());
  if (said.length == 0) return;
  text.resize(said.length);
  control::broadcast(here.world(), 0, std::as_writable_bytes(std::span(text)));
  with.learn(parse_tuning(text, "rank 0's tuning file", from, algorithms),
             name.empty() ? "rank 0's tuning file" : name);
}

}  // namespace upwash::tuning
