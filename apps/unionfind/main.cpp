// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// unionfind: the components of a graph. Edges climb the trees of the larger of their vertices, from
// rank to rank, by single messages and through streams.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/common/matrix_market.hpp"
#include "apps/common/program.hpp"
#include "apps/unionfind/graph_part.hpp"
#include "upwash/streaming/stream.hpp"
#include "upwash/upwash.hpp"

namespace {

using unionfind::link;

struct options {
  std::string path;
  std::vector<std::string> modes{"direct", "1d", "2d", "auto"};
};

int read_options(const upwash::job& here, int argc, char** argv, options& chosen) {
  CLI::App app("The components of a graph (Matrix Market)", "unionfind");
  app.add_option("graph", chosen.path, "A square matrix: its entries are the edges")->required();
  app.add_option("--modes", chosen.modes, "direct: a message a step; 1d, 2d, 3d, auto: streams")
      ->delimiter(',')
      ->check(CLI::IsMember({"direct", "1d", "2d", "3d", "auto"}))
      ->capture_default_str();
  return apps::read_command_line(here, app, argc, argv);
}

/// This rank's part of the graph, where messages find it.
class forest : public upwash::service_base {
 public:
  explicit forest(upwash::job& /*here*/) {}
  unionfind::graph_part part;
  upwash::quiescence* end = nullptr;  ///< of single messages
};

void climb(upwash::incoming& in, link what);

void send_on(forest& trees, const link& what) {
  trees.end->send<&climb>(trees.part.owner(what), what);
}

void climb(upwash::incoming& in, link what) {
  auto& trees = in.here().service<forest>();
  if (const auto left = trees.part.climb(what)) send_on(trees, *left);
}

void unite_directly(upwash::job& here, forest& trees) {
  upwash::quiescence end(here.world());
  trees.end = &end;
  upwash::control::barrier(here.world());  // nothing comes before
  for (const link& each : trees.part.edges()) send_on(trees, each);
  end.wait();
}

void unite_by_stream(upwash::job& here, forest& trees, int dimensions) {
  auto items = upwash::open_stream<link>(here.world(),
                                         [&part = trees.part](auto& self, const link& what) {
                                           if (const auto left = part.climb(what))
                                             self.push(part.owner(*left), *left);
                                         },
                                         {.dimensions = dimensions});
  for (const link& each : trees.part.edges()) items.push(trees.part.owner(each), each);
  items.close();
}

/// The parents of all vertices, with room for equal blocks. Collective.
std::vector<std::uint32_t> all_parents(const upwash::job& here, const unionfind::graph_part& part) {
  const auto each = static_cast<std::size_t>(part.share());
  std::vector<std::uint32_t> mine(part.parents().begin(), part.parents().end());
  mine.resize(each);
  std::vector<std::uint32_t> all(each * static_cast<std::size_t>(here.size()));
  upwash::all_gather(here.world(), std::span<const std::uint32_t>(mine), std::span(all)).wait();
  return all;
}

int run_rank(upwash::job& here, int argc, char** argv) {
  options chosen;
  const int early = read_options(here, argc, argv, chosen);
  if (early >= 0) return early;
  sparse::coordinate_matrix graph;
  const bool read = apps::all_prepared(here, "unionfind", [&] {
    graph = sparse::read_matrix_market(chosen.path);
    if (graph.rows == graph.columns) return;
    throw upwash::error(upwash::error_kind::configuration,
                        fmt::format("{}: {} x {} is no graph; expected a square matrix",
                                    chosen.path, graph.rows, graph.columns));
  });
  if (!read) return apps::bad_input;
  const std::vector<std::uint32_t> expected = unionfind::roots_of(graph);
  const std::uint64_t components = unionfind::count_roots(expected);
  auto& trees = here.service<forest>();
  trees.part = unionfind::graph_part(graph, here.size(), here.rank());
  bool good = true;
  for (const std::string& mode : chosen.modes) {
    trees.part.reset();
    upwash::control::barrier(here.world());
    const upwash::duration begin = here.now();
    if (mode == "direct") {
      unite_directly(here, trees);
    } else {
      unite_by_stream(here, trees, mode == "auto" ? 0 : mode[0] - '0');
    }
    const upwash::duration time = apps::slowest(here, here.now() - begin);
    std::vector<std::uint32_t> found = all_parents(here, trees.part);
    found.resize(expected.size());
    const bool same = unionfind::roots_of(found) == expected;
    good = good && same;
    if (here.rank() != 0) continue;
    fmt::print("{}: {:.3f} ms, {} components of {} vertices, {}\n", mode, time.us() / 1e3,
               components, graph.rows, same ? "as expected" : "wrong");
  }
  if (here.rank() == 0) fmt::print("verified: {}\n", good ? "yes" : "no");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) { return run_rank(here, argc, argv); });
}
