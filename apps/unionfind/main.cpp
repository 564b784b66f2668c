// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// unionfind: the components of a graph. Edges climb the trees of the larger of their vertices, from
// rank to rank, by single messages and through streams.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "apps/common/csr.hpp"
#include "apps/common/matrix_market.hpp"
#include "apps/common/program.hpp"
#include "apps/unionfind/forest.hpp"
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

/// This rank's block of the vertices.
class forest : public upwash::service_base {
 public:
  explicit forest(upwash::job& here) : here_(here) {}

  void reset(int vertices) {
    share_ = sparse::block_of(vertices, here_.size(), 0).count;
    const sparse::row_block mine = sparse::block_of(vertices, here_.size(), here_.rank());
    first_ = static_cast<std::uint32_t>(mine.first);
    parents_.resize(static_cast<std::size_t>(mine.count));
    std::iota(parents_.begin(), parents_.end(), first_);
  }
  [[nodiscard]] int owner(const link& what) const { return static_cast<int>(what.larger) / share_; }
  [[nodiscard]] std::optional<link> step(const link& what) {
    return unionfind::step(parents_[what.larger - first_], what);
  }
  /// Of all vertices, with room for equal blocks. Collective.
  [[nodiscard]] std::vector<std::uint32_t> all_parents() const {
    const auto each = static_cast<std::size_t>(share_);
    std::vector<std::uint32_t> mine = parents_;
    mine.resize(each);
    std::vector<std::uint32_t> all(each * static_cast<std::size_t>(here_.size()));
    upwash::all_gather(here_.world(), std::span<const std::uint32_t>(mine), std::span(all)).wait();
    return all;
  }

  std::uint64_t sent = 0;     ///< single messages, in all
  std::uint64_t handled = 0;  ///< of those

 private:
  upwash::job& here_;
  std::vector<std::uint32_t> parents_;
  std::uint32_t first_ = 0;
  int share_ = 1;
};

void climb(upwash::incoming& in, link what);

void send_on(upwash::job& here, forest& trees, const link& what) {
  ++trees.sent;
  upwash::send<&climb>(here, trees.owner(what), what);
}

void climb(upwash::incoming& in, link what) {
  auto& trees = in.here().service<forest>();
  if (const auto left = trees.step(what)) send_on(in.here(), trees, *left);
  ++trees.handled;  // what it made is counted before
}

void unite_directly(upwash::job& here, forest& trees, const std::vector<link>& edges) {
  for (const link& each : edges) send_on(here, trees, each);
  std::uint64_t before = 0;
  while (true) {  // two equal counts in a row
    here.progress();
    const std::uint64_t handled = apps::total(here, trees.handled);
    if (apps::total(here, trees.sent) == handled && handled == before) return;
    before = handled;
  }
}

void unite_by_stream(upwash::job& here, forest& trees, const std::vector<link>& edges,
                     int dimensions) {
  auto items = upwash::open_stream<link>(here.world(),
                                         [&trees](auto& self, const link& what) {
                                           if (const auto left = trees.step(what))
                                             self.push(trees.owner(*left), *left);
                                         },
                                         {.dimensions = dimensions});
  for (const link& each : edges) items.push(trees.owner(each), each);
  items.close();
}

/// This rank's share of the edges of the graph.
std::vector<link> own_edges(const upwash::job& here, const sparse::coordinate_matrix& graph) {
  const sparse::row_block rows = sparse::block_of(graph.rows, here.size(), here.rank());
  std::vector<link> edges;
  for (const sparse::entry& each : graph.entries) {
    if (each.row < rows.first || each.row >= rows.first + rows.count) continue;
    edges.push_back(unionfind::link_of(static_cast<std::uint32_t>(each.row),
                                       static_cast<std::uint32_t>(each.column)));
  }
  return edges;
}

/// The roots, found by one alone.
std::vector<std::uint32_t> expected_roots(const sparse::coordinate_matrix& graph) {
  std::vector<std::uint32_t> parents(static_cast<std::size_t>(graph.rows));
  std::iota(parents.begin(), parents.end(), 0U);
  for (const sparse::entry& each : graph.entries) {
    unionfind::unite(parents, unionfind::link_of(static_cast<std::uint32_t>(each.row),
                                                 static_cast<std::uint32_t>(each.column)));
  }
  return unionfind::roots_of(parents);
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
  const std::vector<link> edges = own_edges(here, graph);
  const std::vector<std::uint32_t> expected = expected_roots(graph);
  std::uint64_t components = 0;
  for (std::size_t v = 0; v < expected.size(); ++v) components += expected[v] == v ? 1 : 0;
  auto& trees = here.service<forest>();
  bool good = true;
  for (const std::string& mode : chosen.modes) {
    trees.reset(graph.rows);
    upwash::control::barrier(here.world());
    const upwash::duration begin = here.now();
    if (mode == "direct") {
      unite_directly(here, trees, edges);
    } else {
      unite_by_stream(here, trees, edges, mode == "auto" ? 0 : mode[0] - '0');
    }
    const upwash::duration time = apps::slowest(here, here.now() - begin);
    std::vector<std::uint32_t> found = trees.all_parents();
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
