// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the layers above core are given: selectors, prices, notes of streams.
#include <algorithm>
#include <string_view>

#include "upwash/collective/install.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/onesided/install.hpp"
#include "upwash/runtime/detail/composition.hpp"

namespace upwash::runtime_detail {
namespace {

collective::adaptation adaptation_named(std::string_view name) {
  using collective::adaptation;
  if (name == "none") return adaptation::none;
  return name == "all" ? adaptation::all : adaptation::irregular;
}

/// Perturbed ranks choose apart, so that choices that depend on a rank's past are found; so many
/// do, the others share theirs.
constexpr int most_selectors = 64;

}  // namespace

void installation::on(job& here) const {
  collective::install(here, collectives);
  matching::install(here, messages);
  streaming::install(here, streams);
  onesided::install(here);
  if (machine != nullptr) neighborhoods::install(here, *machine);
  // They ask members for their memory, and who has left to compute answers no more: nobody
  // leaves before all have what they asked for.
  if (all_direct(here.world())) control::barrier_by_messages(here.world());
}

installation composition::layers(int rank) {
  return {
      {&algorithms, &selector_of(rank), forced, values.flag("tune_log"),
       adaptation_named(values.text("adapt")), &edges, mechanism_named(values.text("transfer"))},
      matching::options_of(values),
      {prices.get(), streams.get()},
      machine.get()};
}

void make_selectors(composition& made, const std::shared_ptr<const model::topology>& network) {
  const bool apart = made.simulated && made.values.flag("perturb");
  const int wanted = apart ? std::min(made.world->local_ranks(), most_selectors) : 1;
  for (int i = 0; i < wanted; ++i) {
    made.selects.push_back(std::make_unique<tuning::tuned_selector>(made.values.text("machine")));
    if (network) made.selects.back()->see_contention(network);
    if (!made.alone()) continue;  // they learn together later
    const tuning::tuned_selector& first = *made.selects.front();
    if (i == 0) {
      tuning::learn_alone(made.tuning(), made.algorithms, *made.selects.front());
    } else {
      made.selects.back()->learn(first.known(), first.file());
    }
  }
  made.streams = std::make_unique<tuning::stream_notes>(&made.selects.front()->known());
}

void install_layers(job& here, composition& parts) {
  if (!parts.alone()) {
    tuning::learn_together(here, parts.tuning(), parts.algorithms, parts.selector_of(here.rank()));
  }
  if (parts.prices == nullptr) {  // not by another rank of this process
    const std::string& machine = parts.selector_of(here.rank()).machine_name();
    parts.prices = std::make_unique<streaming::price_list>(machine);
    parts.machine = std::make_unique<neighborhoods::machine_by_name>(machine);
  }
  parts.layers(here.rank()).on(here);
}

}  // namespace upwash::runtime_detail
