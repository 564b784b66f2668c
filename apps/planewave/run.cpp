// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/planewave/run.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "apps/common/program.hpp"
#include "apps/planewave/rank_part.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/core/region.hpp"
#include "upwash/objects/strategies.hpp"

namespace planewave {
namespace {

using bounds = upwash::index_map<plane_index>::bounds;

int in_blocks_by_state(const plane_index& index, int members, const bounds& of) {
  return upwash::objects::in_block(index, members, of);
}
int in_blocks_by_plane(const plane_index& index, int members, const bounds& of) {
  return upwash::objects::in_block(plane_index{index[1], index[0]}, members, {of[1], of[0], 1, 1});
}

upwash::index_map<plane_index> home_of(const settings& chosen, int planes) {
  const bounds all{static_cast<std::uint64_t>(chosen.in.states), static_cast<std::uint64_t>(planes),
                   1, 1};
  return {chosen.by == mapping::states ? &in_blocks_by_state : &in_blocks_by_plane, all};
}

/// Bytes that a piece takes in a stream, in the mean over planes: its elements, and 88 for index,
/// length and headers.
std::size_t mean_piece(const box& of) {
  std::size_t columns = 0;
  const auto planes = waves_of(of);
  for (const wave_plane& each : planes) columns += each.columns.size();
  return columns * sizeof(complex) / planes.size() + 88;
}

/// The arrays of a run, and what carries calls between them.
class arrays {
 public:
  arrays(upwash::job& here, const settings& chosen)
      : here_(here),
        chosen_(chosen),
        planes_(static_cast<int>(waves_of(chosen.in).size())),
        g_planes_(here.world(), {.name = "g_planes"}, home_of(chosen, planes_)),
        r_planes_(here.world(), {.name = "r_planes"}, home_of(chosen, chosen.in.planes)),
        words_(upwash::allocate(here.world(), 2 * sizeof(std::uint64_t))) {
    const auto states = static_cast<std::uint64_t>(chosen.in.states);
    const auto all = [&](int planes) {
      return upwash::all_indices<plane_index>(
          upwash::extents<2>{states, static_cast<std::uint64_t>(planes)});
    };
    g_planes_.fill(all(planes_));
    r_planes_.fill(all(chosen.in.planes));
    links_.chosen = &chosen;
    links_.g_planes = &g_planes_;
    links_.r_planes = &r_planes_;
    links_.done = words_.mine_as<std::uint64_t>().data();
    links_.ended = links_.done + 1;
    make_sections();
    links_.to_real = carried(g_planes_);
    links_.to_waves = carried(r_planes_);
    bind_multicast();
    here.service<rank_part>().begin(links_);
  }

  /// Until rank 0 knows all of the last step.
  void run() { start<&g_plane::start>(*links_.done); }
  void report() { start<&g_plane::report>(*links_.ended); }

  void end() {
    quiet_together(g_planes_, r_planes_);
    upwash::free(words_);
  }

 private:
  /// Where the owner of a plane's density is.
  void make_sections() {
    const auto shape = chosen_.multicast == "direct" ? upwash::section_shape::direct
                       : chosen_.multicast == "ring" ? upwash::section_shape::ring
                                                     : upwash::section_shape::tree;
    r_planes_.for_each_here([&](r_plane& one) {
      if (owner_of(chosen_.in, one.index()[1]) != one.index()[0]) return;
      std::vector<plane_index> of_plane;
      for (int state = 0; state < chosen_.in.states; ++state) {
        of_plane.push_back({state, one.index()[1]});
      }
      const auto sums = r_planes_.section(of_plane);
      r_planes_[sums].template send<&r_plane::join>(sums, r_planes_.section(of_plane, shape));
    });
    r_planes_.quiet();
  }

  template <class T>
  carrier carried(upwash::object_array<T>& from) {
    if (chosen_.transpose == "direct") return {};
    if (chosen_.transpose == "streaming") {
      return {true, false, from.bind(upwash::streaming_calls({.stream = stream()}))};
    }
    const std::string algorithm = chosen_.transpose == "each_to_many" ? "" : chosen_.transpose;
    return {true, true, from.bind(upwash::each_to_many(algorithm))};
  }

  /// A buffer goes when half of it is used, so a piece may take the other half.
  [[nodiscard]] upwash::stream_options stream() const {
    return {.dimensions = 1,
            .buffer_bytes = 2 * static_cast<std::size_t>(chosen_.bucket) * mean_piece(chosen_.in),
            .threshold = 0.5,
            .cutoff = 0.5};
  }

  void bind_multicast() {
    const std::string brackets = "each_to_many_multicast";
    if (!chosen_.multicast.starts_with(brackets)) return;
    const bool named = chosen_.multicast.size() > brackets.size();
    const std::string algorithm = named ? chosen_.multicast.substr(brackets.size() + 1) : "";
    links_.multicast = {true, true, r_planes_.bind(upwash::each_to_many_multicast(algorithm))};
  }

  template <auto Method>
  void start(std::uint64_t& done) {
    upwash::control::barrier(here_.world());
    if (here_.rank() == 0) {
      g_planes_.broadcast<Method>();
      upwash::wait_until(here_, done, upwash::comparison::equal, 1);
    }
    upwash::control::barrier(here_.world());
  }

  upwash::job& here_;
  const settings& chosen_;
  int planes_;
  upwash::object_array<g_plane> g_planes_;
  upwash::object_array<r_plane> r_planes_;
  upwash::region words_;
  rank_part::links links_;
};

}  // namespace

const std::vector<std::string>& transposes() {
  static const std::vector<std::string> all{"direct", "each_to_many", "mesh2d", "streaming"};
  return all;
}
const std::vector<std::string>& multicasts() {
  static const std::vector<std::string> all{"direct", "ring", "tree", "each_to_many_multicast"};
  return all;
}

outcome run_by_objects(upwash::job& here, const settings& chosen) {
  arrays all(here, chosen);
  const std::uint64_t sent = here.counters().messages_sent;
  const upwash::duration from = here.now();
  all.run();
  outcome& seen = here.service<rank_part>().found();
  seen.messages = apps::total(here, here.counters().messages_sent - sent);
  seen.migrations = apps::total(here, seen.migrations);
  for (upwash::duration& each : seen.known) each -= from;
  if (chosen.arithmetic) all.report();
  all.end();
  return std::move(seen);
}

}  // namespace planewave
