// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/run.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "apps/common/program.hpp"
#include "apps/md/mesh_part.hpp"
#include "apps/md/rank_part.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/core/region.hpp"
#include "upwash/objects/strategies.hpp"

namespace md {
namespace {

/// A pair is where its first cell is, but for pairs at the ends of uneven blocks.
template <class T, class Index = typename T::index_type, class Extents>
upwash::index_map<Index> home_of(const settings& chosen, const Extents& all) {
  if (chosen.by_hash) return &upwash::object_array<T>::by_hash;
  return upwash::in_blocks<Index>(all);
}

int dimensions_of(const std::string& exchange) { return exchange.ends_with("2d") ? 2 : 1; }

/// The arrays of a run, and what carries forces between them.
class arrays {
 public:
  /// Collective.
  arrays(upwash::job& here, const settings& chosen)
      : here_(here),
        chosen_(chosen),
        cells_(here.world(), {.name = "cells"},
               home_of<cell>(chosen, chosen.what.in.cell_extents())),
        computes_(here.world(),
                  {.name = "computes",
                   .measure = chosen.balance > 0 ? upwash::balancing::measure::time
                                                 : upwash::balancing::measure::nothing},
                  home_of<compute>(chosen, chosen.what.in.compute_extents())),
        done_(upwash::allocate(here.world(), sizeof(std::uint64_t))) {
    cells_.fill(upwash::all_indices<cell_index>(chosen.what.in.cell_extents()));
    computes_.fill(upwash::all_indices<compute_index>(chosen.what.in.compute_extents()));
    links_.chosen = &chosen;
    links_.cells = &cells_;
    links_.computes = &computes_;
    links_.done = done_.mine_as<std::uint64_t>().data();
    bind();
    if (chosen.what.charged()) links_.charges = &charges_.emplace(here, chosen, cells_);
    here.service<rank_part>().begin(links_);
  }

  void place(const std::vector<particle>& begin) {
    const space& of = chosen_.what.in;
    std::vector<std::vector<particle>> in(static_cast<std::size_t>(of.count()));
    const auto at = [&](const cell_index& cell) -> std::vector<particle>& {
      return in[static_cast<std::size_t>(of.number_of(cell))];
    };
    for (const particle& each : begin) {
      const auto first = static_cast<std::size_t>(chosen_.what.kinds.first_of_molecule(each.id));
      at(of.cell_at(begin[first].at)).push_back(each);
    }
    cells_.for_each_here([&](cell& one) {
      one.begin(std::move(at(one.index())), computes_.section(of.computes_of(one.index())),
                chosen_.what.slots());
    });
    computes_.quiet();
  }

  /// Until rank 0 knows the energies of the last step.
  void run() {
    upwash::control::barrier(here_.world());
    const int steps = chosen_.what.steps;
    const int part = chosen_.balance > 0 ? chosen_.balance : steps;
    for (int from = 0; from < steps; from += part) {
      if (from > 0) balance();
      if (here_.rank() == 0) {
        from == 0 ? cells_.broadcast<&cell::start>() : cells_.broadcast<&cell::resume>();
        const int until = std::min(from + part, steps);
        upwash::wait_until(here_, *links_.done, upwash::comparison::equal,
                           static_cast<std::uint64_t>(until) + 1);
      }
      upwash::control::barrier(here_.world());
    }
  }

  std::uint64_t mark() {
    std::uint64_t own = 0;
    cells_.for_each_here([&](const cell& one) { own += mark_of(one.inside().particles()); });
    return apps::total(here_, own);
  }

  void end() {
    computes_.quiet();
    cells_.quiet();
    if (charges_) charges_->quiet();
    items_.reset();
    upwash::free(done_);
  }

 private:
  /// All cells are at a pause. They stay, as few do most of the work.
  void balance() {
    outcome& found = here_.service<rank_part>().found();
    cells_.quiet();
    upwash::balancing::share mine;
    if (charges_) mine.background = charges_->take_busy_time();
    const auto now = computes_.balance(upwash::balancing::refine(), mine);
    if (found.balanced++ == 0) found.longest_before = now.longest_before;
    found.longest_after = now.longest_after;
    found.moved_to_balance += now.moved;
  }

  void bind() {
    const upwash::stream_options stream{.dimensions = dimensions_of(chosen_.exchange),
                                        .buffer_bytes = chosen_.buffer_bytes};
    if (chosen_.exchange.starts_with("aggregated")) {
      links_.items = &items_.emplace(cells_, stream);
    } else if (chosen_.exchange != "direct") {
      const bool streams = chosen_.exchange.starts_with("streaming");
      const std::string algorithm = chosen_.exchange == "each_to_many" ? "" : chosen_.exchange;
      links_.by = computes_.bind(streams ? upwash::streaming_calls({.stream = stream})
                                         : upwash::each_to_many(algorithm));
      links_.delegated = true;
      links_.bracketed = !streams;
    }
  }

  upwash::job& here_;
  const settings& chosen_;
  upwash::object_array<cell> cells_;
  upwash::object_array<compute> computes_;
  upwash::region done_;
  std::optional<rank_part::force_items> items_;
  std::optional<mesh_part> charges_;
  rank_part::links links_;
};

}  // namespace

const std::vector<std::string>& exchanges() {
  static const std::vector<std::string> all{
      "direct", "each_to_many", "mesh2d", "streaming", "streaming2d", "aggregated", "aggregated2d"};
  return all;
}

const std::vector<std::string>& transposes() {
  static const std::vector<std::string> all{"blocking", "direct", "mesh2d"};
  return all;
}

outcome run_by_objects(upwash::job& here, const settings& chosen,
                       const std::vector<particle>& begin) {
  arrays all(here, chosen);
  all.place(begin);
  const std::uint64_t sent = here.counters().messages_sent;
  const upwash::duration from = here.now();
  all.run();
  outcome& found = here.service<rank_part>().found();
  found.messages = apps::total(here, here.counters().messages_sent - sent);
  found.migrations = apps::total(here, found.migrations);
  for (upwash::duration& each : found.known) each -= from;
  all.end();
  found.mark = all.mark();
  return std::move(found);
}

}  // namespace md
