// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From a description to a topology: which keys each kind has and what they mean.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/model/detail/topology_reader.hpp"
#include "upwash/model/topology_dragonfly.hpp"
#include "upwash/model/topology_fat_tree.hpp"
#include "upwash/model/topology_grid.hpp"
#include "upwash/model/topology_text.hpp"

namespace upwash::model {
namespace {

using detail::topology_reader;
using topology_pointer = std::unique_ptr<const topology>;

constexpr std::int64_t most_ports = 1 << 20;
constexpr std::int64_t most_nodes = 1 << 26;
constexpr int most_levels = 20;

/// The position of a routing in those of a kind; the first where none is asked for.
std::size_t routing_among(const topology_reader& at, std::string_view asked,
                          std::initializer_list<std::string_view> valid) {
  if (asked.empty()) return 0;
  const auto* found = std::find(valid.begin(), valid.end(), asked);
  if (found == valid.end()) {
    at.fail("routing", fmt::format("\"{}\" is not one of: {}", asked, fmt::join(valid, ", ")));
  }
  return static_cast<std::size_t>(found - valid.begin());
}

std::int64_t places_of(int arity, int levels, bool full) {
  std::int64_t places = full ? 2 : 1;
  for (int i = 0; i < levels && places <= (most_nodes); ++i) places *= arity;
  return places;
}

/// From "levels", or as many as "nodes" need.
int levels_of(const topology_reader& at, int arity, bool full) {
  if (at.has("levels") || !at.has("nodes")) {
    const int levels = at.number("levels", 1, most_levels);
    if (places_of(arity, levels, full) > (most_nodes)) at.fail("levels", "more than 2^26 nodes");
    return levels;
  }
  const int nodes = at.number("nodes", 1, most_nodes);
  if (arity == 1 && nodes > 2) at.fail("nodes", "a tree of arity 1 has one node");
  int levels = 1;
  while (places_of(arity, levels, full) < nodes) ++levels;
  return levels;
}

int arity_of(const topology_reader& at) {
  if (at.has("arity")) {
    if (at.has("ports")) at.fail("arity", "give ports or arity, which is half of it");
    return at.number("arity", 1, most_ports);
  }
  const int ports = at.number("ports", 2, most_ports);
  if (ports % 2 != 0) at.fail("ports", fmt::format("{} is odd; half lead up, half down", ports));
  return ports / 2;
}

/// Those asked for, and what is beyond "nodes".
std::vector<int> missing_places(const topology_reader& at, std::int64_t places) {
  std::vector<int> missing = at.numbers("missing", 0, places - 1);
  std::sort(missing.begin(), missing.end());
  if (std::adjacent_find(missing.begin(), missing.end()) != missing.end()) {
    at.fail("missing", "a place is named twice");
  }
  if (!at.has("nodes")) return missing;
  const auto present = places - static_cast<std::int64_t>(missing.size());
  const int nodes = at.number("nodes", 1, std::max<std::int64_t>(present, 1));
  std::int64_t surplus = present - nodes;
  std::vector<int> beyond;
  for (auto last = static_cast<int>(places) - 1; surplus > 0; --last) {
    if (std::binary_search(missing.begin(), missing.end(), last)) continue;
    beyond.push_back(last);
    --surplus;
  }
  missing.insert(missing.end(), beyond.begin(), beyond.end());
  std::sort(missing.begin(), missing.end());
  return missing;
}

topology_pointer make_fat_tree(const topology_reader& at, std::string_view routing, bool full) {
  at.expect({"ports", "arity", "levels", "nodes", "missing", "taper"});
  const int arity = arity_of(at);
  const int levels = levels_of(at, arity, full);
  fat_tree_shape shape = k_ary_n_tree(arity, levels, full);
  const int taper = at.number("taper", 1, most_ports, 1);
  if (arity % taper != 0) {
    at.fail("taper", fmt::format("{} does not divide the {} ports downwards", taper, arity));
  }
  if (!shape.up.empty()) shape.up.front() = arity / taper;
  shape.missing = missing_places(at, places_of(arity, levels, full));
  if (taper > 1) shape.name += fmt::format(",taper={}", taper);
  if (!shape.missing.empty()) {
    shape.name += fmt::format(",nodes={}", places_of(arity, levels, full) -
                                               static_cast<std::int64_t>(shape.missing.size()));
  }
  const std::array kinds{up_routing::any, up_routing::any, up_routing::source,
                         up_routing::destination};
  shape.routing =
      kinds[routing_among(at, routing, {"adaptive", "random", "deterministic", "destination"})];
  return std::make_unique<fat_tree>(std::move(shape));
}

topology_pointer make_crossbar(const topology_reader& at, std::string_view routing) {
  at.expect({"ports"});
  (void)routing_among(at, routing, {"deterministic"});
  fat_tree_shape shape;
  shape.down = {at.number("ports", 1, most_ports)};
  shape.name = fmt::format("crossbar:ports={}", shape.down.front());
  return std::make_unique<fat_tree>(std::move(shape));
}

topology_pointer make_grid(const topology_reader& at, std::string_view routing,
                           const std::string& kind) {
  grid_shape shape;
  if (kind == "hypercube") {
    at.expect({"dimensions", "nodes"});
    shape.sizes.assign(static_cast<std::size_t>(at.number("dimensions", 0, 30)), 2);
    if (shape.sizes.empty()) shape.sizes = {1};
  } else {
    at.expect({"size", "nodes"});
    shape.sizes = at.numbers("size", 1, most_nodes);
    if (shape.sizes.empty()) at.fail("size", fmt::format("the key is missing; {} needs it", kind));
  }
  shape.nodes_each = at.number("nodes", 1, most_ports, 1);
  shape.wraps = kind == "torus";
  const std::size_t chosen = routing_among(at, routing, {"dimension-order", "valiant", "adaptive"});
  shape.valiant = chosen == 1;
  shape.adaptive = chosen == 2;
  shape.name =
      fmt::format("{}:size={},nodes={}", kind, fmt::join(shape.sizes, "x"), shape.nodes_each);
  std::int64_t nodes = shape.nodes_each;
  for (const int each : shape.sizes) {
    nodes *= each;
    if (nodes > (most_nodes)) at.fail("size", "more than 2^26 nodes");
  }
  return std::make_unique<grid_network>(std::move(shape));
}

topology_pointer make_dragonfly(const topology_reader& at, std::string_view routing) {
  at.expect({"routers", "nodes", "global", "groups"});
  dragonfly_shape shape;
  shape.routers = at.number("routers", 1, 4096);
  shape.nodes_each = at.number("nodes", 1, 4096);
  shape.global = at.number("global", 0, 4096);
  const int most = shape.routers * shape.global + 1;
  shape.groups = at.number("groups", 1, most, most);
  if (std::int64_t{shape.groups} * shape.routers * shape.nodes_each > (most_nodes)) {
    at.fail("groups", "more than 2^26 nodes");
  }
  const std::size_t chosen = routing_among(at, routing, {"minimal", "valiant", "ugal"});
  shape.valiant = chosen != 0;
  shape.ugal = chosen == 2;
  shape.name = fmt::format("dragonfly:routers={},nodes={},global={},groups={}", shape.routers,
                           shape.nodes_each, shape.global, shape.groups);
  return std::make_unique<dragonfly>(shape);
}

}  // namespace

topology_pointer make_topology(const topology_description& of, std::string_view routing) {
  const topology_reader at(of);
  if (of.kind == "fat-tree" || of.kind == "clos") {
    return make_fat_tree(at, routing, of.kind == "clos");
  }
  if (of.kind == "crossbar") return make_crossbar(at, routing);
  if (of.kind == "mesh" || of.kind == "torus" || of.kind == "hypercube") {
    return make_grid(at, routing, of.kind);
  }
  if (of.kind == "dragonfly") return make_dragonfly(at, routing);
  constexpr std::array<std::string_view, 7> kinds{"fat-tree", "clos",      "crossbar", "mesh",
                                                  "torus",    "hypercube", "dragonfly"};
  const std::string_view near = nearest_name(of.kind, kinds);
  at.fail("kind", fmt::format("\"{}\" is unknown{}; valid: {}", of.kind,
                              near.empty() ? "" : fmt::format(", did you mean {}?", near),
                              fmt::join(kinds, ", ")));
}

}  // namespace upwash::model
