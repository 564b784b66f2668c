// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/choose/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/collective/detail/run/written_down.hpp"
#include "upwash/collective/forced_algorithms.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/observe/traced_choice.hpp"

namespace upwash::collective::detail {
namespace {

/// Rank 0's text, at every rank.
std::string agreed_text(const team& among, std::string_view own) {
  std::uint64_t length = own.size();
  control::broadcast_value(among, 0, length);
  std::string text(length, '\0');
  if (among.rank() == 0) text = own;
  if (length != 0) control::broadcast(among, 0, std::as_writable_bytes(std::span(text)));
  return text;
}

std::string how_edges_travel(const selection& one, const problem& call) {
  if (call.transfer) {
    return fmt::format("edges travel by {} where they can, as asked for",
                       to_string(*call.transfer));
  }
  return fmt::format("edges of up to {} bytes travel eagerly",
                     one.eager_bytes.value_or(call.eager_bytes));
}

}  // namespace

choices::choices(job& here) : here_(here), trace_(host(here).trace()) {}

void choices::install(const installation& with) {
  selects_ = with.chooses;
  algorithms_ = with.algorithms;
  tells_choices_ = with.tells_choices;
  transfer_ = with.transfer;
  if (transfer_ && here_.rank() == 0) {
    log(log_level::info, "collective",
        fmt::format("edges of all collectives travel by {} where they can, as asked for: it is "
                    "what is priced",
                    to_string(*transfer_)));
  }
  // One text, in one broadcast: whether to adapt, and what is forced.
  std::string own(1, static_cast<char>('0' + static_cast<int>(with.adapts)));
  own.append(with.forced);
  const std::string agreed = agreed_text(here_.world(), own);
  adapts_ = static_cast<adaptation>(agreed.front() - '0');
  const auto force = [this](std::string_view collective, std::string_view algorithm) {
    const kind what = algorithms().kind_named(collective);
    static_cast<void>(algorithms().named(what, algorithm));
    forced_[what] = {std::string(algorithm)};
  };
  for_each_forced(std::string_view(agreed).substr(1), force);
}

std::uint64_t choices::usual_eager_bytes(const problem& call) const {
  return selects_ != nullptr ? selects_->usual_eager_bytes(call) : call.eager_limit;
}

selector::choice choices::choose(const team& among, problem what, std::string_view named,
                                 std::string_view label) {
  what.label = label;
  const duration begin = trace_ == nullptr ? duration() : here_.now();
  selector::choice chosen;
  if (!named.empty()) {
    chosen = {algorithms().named(what.of, named), "it was asked for"};
    const std::string objection = registry::objection(chosen.what, what);
    if (!objection.empty()) {
      throw error(error_kind::argument, fmt::format("rank {}: {} by {}: {}", here_.rank(),
                                                    to_string(what.of), named, objection));
    }
  } else {
    chosen = forced_or_selected(what);
  }
  if (tells(among)) {
    tell(among, fmt::format("{}: {}; why: {}; {}", site::described(what), text_of(chosen.what),
                            chosen.why, how_edges_travel(chosen.what, what)));
  }
  if (trace_ != nullptr) write_down(among, what, chosen, begin);
  return chosen;
}

/// The selector may live longer than what is shared, so it has that while it chooses only.
selector::choice choices::selected(const problem& what) {
  if (selects_ == nullptr) return first_that_serves(what);
  struct sharing {
    selector& by;
    ~sharing() { by.share_prices(nullptr); }
  } during{*selects_};
  selects_->share_prices(prices_ ? &*prices_ : nullptr);
  return selects_->choose(algorithms(), what);
}

selector::choice choices::forced_or_selected(const problem& what) {
  const auto forced = forced_.find(what.of);
  if (forced == forced_.end()) return selected(what);
  selection wanted = algorithms().named(what.of, forced->second.algorithm);
  const std::string objection = registry::objection(wanted, what);
  if (objection.empty()) return {std::move(wanted), "it was asked for"};
  selector::choice instead = selected(what);
  const std::string refusal = fmt::format("{} (by the knob algorithms or {}) cannot: {}",
                                          forced->second.algorithm, to_string(what.of), objection);
  instead.why = fmt::format("{}; {}", refusal, instead.why);
  // One rank says so, once: a job may have any number of teams.
  if (here_.rank() == 0 && !std::exchange(forced->second.told, true)) {
    log(log_level::warning, "collective",
        fmt::format("{} of {} ranks goes by {}: {}. Other calls may, too; UPWASH_TUNE_LOG=1 "
                    "prints each choice",
                    to_string(what.of), what.ranks, text_of(instead.what), refusal));
  }
  return instead;
}

/// Members choose the same: the prices are told by the first.
void choices::write_down(const team& among, const problem& what, const selector::choice& chosen,
                         duration begin) const {
  std::uint32_t name = 0;
  if (among.rank() == 0) {
    observe::traced_choice told{.problem = site::described(what),
                                .chosen = text_of(chosen.what),
                                .label = std::string(what.label),
                                .how = how_edges_travel(chosen.what, what),
                                .why = chosen.why};
    for (const ranked& each : chosen.considered) {
      told.candidates.push_back({text_of(each.what), each.predicted
                                                         ? std::optional(each.predicted->ns())
                                                         : std::nullopt});
    }
    name = trace_->long_text(observe::text_of(told));
  } else {
    name = trace_->name("chooses", to_string(what.of).data(), {});
  }
  trace_->next() = {.begin_ps = begin.ps(),
                    .length_ps = static_cast<std::uint64_t>((here_.now() - begin).ps()),
                    .bytes = what.bytes,
                    .name = name,
                    .kind = observe::trace_kind::choice,
                    .team = team_in_trace(among.id())};
}

bool choices::tells(const team& among) const {
  return among.rank() == 0 && log_enabled(tells_choices_ ? log_level::warning : log_level::info);
}

void choices::tell(const team& among, const std::string& line) const {
  if (!tells(among)) return;
  log(tells_choices_ ? log_level::warning : log_level::info, "collective", line);
}

const registry& choices::algorithms() {
  if (algorithms_ == nullptr) {
    own_algorithms_ = std::make_unique<registry>();
    add_algorithms(*own_algorithms_);
    algorithms_ = own_algorithms_.get();
  }
  return *algorithms_;
}

selector::choice choices::first_that_serves(const problem& what) {
  for (const algorithm* each : algorithms().of(what.of)) {
    const selection candidate{each, model::initial_values(each->is)};
    if (registry::objection(candidate, what).empty()) {
      return {candidate, "it is the first that serves, and there are no costs to choose by"};
    }
  }
  throw error(error_kind::argument, fmt::format("rank {}: no algorithm serves this {}",
                                                here_.rank(), to_string(what.of)));
}

std::optional<expected_time> choices::expects(const selection& chosen, problem what) const {
  constexpr std::uint64_t most_steps = 1'000'000;
  const predictor* const prices = selects_ == nullptr ? nullptr : selects_->predicts();
  if (prices == nullptr) return std::nullopt;
  what.overlapped = false;
  const auto completion = prices->predict(chosen, what, most_steps).time;
  what.overlapped = true;
  const auto busy = prices->predict(chosen, what, most_steps).time;
  if (!completion || !busy) return std::nullopt;
  return expected_time{*completion, *busy};
}

}  // namespace upwash::collective::detail
