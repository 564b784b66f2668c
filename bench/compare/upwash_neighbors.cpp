// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cells of neighbours on upwash, by each scheme of the line: SECONDS a cell, FILE of edges,
// SCHEME...; and, without ranks, the file: write FILE RANKS GRAPH...
#include <upwash/upwash.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bench/compare/neighbor_cells.hpp"
#include "bench/compare/upwash_world.hpp"
#include "upwash/neighborhood/graphs/graph_text.hpp"

namespace {

class upwash_library : public compare::upwash_world {
 public:
  using upwash_world::upwash_world;
  /// Where the ranks of a graph lie on a grid, schemes may use it.
  void place(const std::optional<upwash::grid>& on) { on_ = on; }
  /// A scheme that is unknown, or that needs a grid, is refused at the first call, by all ranks.
  bool offers(const compare::named_edges& edges, const std::string& scheme) {
    try {
      make(edges, scheme);
      std::vector<char> none;
      upwash::neighbor_all_gather(*near_, upwash::blocking, none, none, {.scheme = scheme_});
    } catch (const upwash::error& refused) {
      if (rank() == 0) {
        std::fprintf(stderr, "%s: without %s: %s\n", edges.graph.c_str(), scheme.c_str(),
                     refused.what());
      }
      return false;
    }
    return true;
  }
  void make(const compare::named_edges& edges, const std::string& scheme) {
    scheme_ = scheme;
    near_.emplace(world_, upwash::neighbors{edges.sources, edges.destinations}, on_);
  }
  void drop() { near_.reset(); }

  void gather(const char* in, char* out, std::size_t n) {
    upwash::neighbor_all_gather(*near_, upwash::blocking, std::span(in, n),
                                std::span(out, n * near_->sources().size()), {.scheme = scheme_});
  }
  void exchange(const char* in, char* out, std::size_t n) {
    upwash::neighbor_all_to_all(
        *near_, upwash::blocking, std::span(in, n * near_->destinations().size()),
        std::span(out, n * near_->sources().size()), {.scheme = scheme_, .items = n});
  }

 private:
  std::string scheme_;
  std::optional<upwash::grid> on_;
  std::optional<upwash::neighborhood> near_;
};

int write_edges(const char* path, int ranks, std::span<char* const> graphs) {
  std::ofstream to(path);
  const auto write_list = [&to](std::span<const int> peers) {
    to << peers.size();
    for (const int each : peers) to << ' ' << each;
    to << '\n';
  };
  for (const char* name : graphs) {
    const upwash::process_graph graph = upwash::graph_of(name, ranks);
    to << name << ' ' << ranks << '\n';
    for (int rank = 0; rank < ranks; ++rank) {
      write_list(graph.sources(rank));
      write_list(graph.destinations(rank));
    }
  }
  return to.flush() ? 0 : 2;
}

void run_rank(upwash::job& here, int argc, char** argv) {
  upwash_library library(here);
  compare::neighbor_measurement cells(library, std::atof(argv[1]));
  for (const auto& each : compare::read_edges(argv[2], here.rank(), here.size())) {
    library.place(upwash::graph_of(each.graph, here.size()).coordinates());
    for (int i = 3; i < argc; ++i) cells.run(each, argv[i]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 4 && std::string_view(argv[1]) == "write") {
    return write_edges(argv[2], std::atoi(argv[3]),
                       std::span(argv, static_cast<std::size_t>(argc)).subspan(4));
  }
  if (argc < 4) return 2;
  return upwash::run(argc, argv, [&](upwash::job& here) { run_rank(here, argc, argv); });
}
