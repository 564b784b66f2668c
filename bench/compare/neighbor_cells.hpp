// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cells of neighbours: all-gather and all-to-all of each block size on each graph, and what it
// takes to make the graph known, with the first call. The same loops and edges for every library.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "bench/compare/cells.hpp"

namespace compare {

/// One rank's edges in a graph that has a name.
struct named_edges {
  std::string graph;
  std::vector<int> sources;
  std::vector<int> destinations;
};

/// Reads, for each graph, "GRAPH RANKS" and for each rank two lines: how many sources and which,
/// how many destinations and which. Ends the program where that is not for so many ranks.
inline std::vector<named_edges> read_edges(const char* path, int rank, int ranks) {
  std::ifstream from(path);
  std::vector<named_edges> all;
  std::string name;
  int of_ranks = 0;
  const auto read_list = [&from] {
    std::size_t count = 0;
    from >> count;
    std::vector<int> peers(from ? count : 0);
    for (int& each : peers) from >> each;
    return peers;
  };
  while (from >> name >> of_ranks && of_ranks == ranks) {
    all.push_back({name, {}, {}});
    for (int i = 0; i < ranks; ++i) {
      auto sources = read_list();
      auto destinations = read_list();
      if (i != rank) continue;
      all.back().sources = std::move(sources);
      all.back().destinations = std::move(destinations);
    }
  }
  if (all.empty() || !from.eof()) {
    std::fprintf(stderr, "%s: no list of edges for %d ranks\n", path, ranks);
    std::exit(2);
  }
  return all;
}

/// A library under test: `rank()`, `size()`, `barrier()`, `most(double)`; `offers(edges, scheme)`,
/// whether there is such a scheme for the graph, `make(edges, scheme)`, which makes the graph
/// known, `drop()`, and the collectives on it, `gather(in, out, bytes)` and `exchange(in, out,
/// bytes)`, of a block each.
template <class Library>
class neighbor_measurement {
 public:
  neighbor_measurement(Library& with, double seconds_a_cell)
      : library_(with), rows_(with, seconds_a_cell) {}

  /// Prints "GRAPH/COLLECTIVE BYTES SCHEME us" a line, at rank 0; GRAPH/build is of making it known
  /// and the first all-gather.
  void run(const named_edges& edges, const std::string& scheme) {
    if (!library_.offers(edges, scheme)) return;
    build(edges, scheme);
    for (const std::size_t bytes : sizes) {
      fill(edges, bytes, false);
      row(edges, "all_gather", bytes, scheme,
          [&] { library_.gather(in_.data(), out_.data(), bytes); });
      fill(edges, bytes, true);
      row(edges, "all_to_all", bytes, scheme,
          [&] { library_.exchange(in_.data(), out_.data(), bytes); });
    }
    library_.drop();
  }

  static constexpr std::size_t sizes[] = {4, 64, 1024, 16384};

 private:
  static constexpr int builds = 5;

  void build(const named_edges& edges, const std::string& scheme) {
    std::vector<double> took;
    in_.assign(sizes[0], 0);
    out_.assign(sizes[0] * edges.sources.size(), 0);
    for (int i = 0; i < builds; ++i) {
      if (i > 0) library_.drop();
      library_.barrier();
      using clock = std::chrono::steady_clock;
      const auto begin = clock::now();
      library_.make(edges, scheme);
      library_.gather(in_.data(), out_.data(), sizes[0]);
      took.push_back(library_.most(std::chrono::duration<double>(clock::now() - begin).count()));
    }
    std::sort(took.begin(), took.end());
    if (library_.rank() == 0) {
      std::printf("%s/build 0 %s %.4f\n", edges.graph.c_str(), scheme.c_str(),
                  1e6 * took[builds / 2]);
    }
  }

  /// Byte i of what a rank sends to another; in an all-gather `to` is the same for all.
  static char content(int from, int to, std::size_t i) {
    return static_cast<char>(static_cast<std::size_t>(from * 31 + to * 17) + i * 7);
  }

  void fill(const named_edges& edges, std::size_t bytes, bool one_each) {
    const std::size_t blocks = one_each ? edges.destinations.size() : 1;
    in_.resize(blocks * bytes);
    for (std::size_t i = 0; i < in_.size(); ++i) {
      in_[i] = content(library_.rank(), one_each ? edges.destinations[i / bytes] : 0, i % bytes);
    }
    out_.assign(edges.sources.size() * bytes, 0);
    wanted_.resize(out_.size());
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      wanted_[i] = content(edges.sources[i / bytes], one_each ? library_.rank() : 0, i % bytes);
    }
  }

  template <class Call>
  void row(const named_edges& edges, const char* collective, std::size_t bytes,
           const std::string& scheme, const Call& call) {
    call();
    if (out_ != wanted_) {
      std::fprintf(stderr, "rank %d: %s of %zu bytes on %s by %s brings other bytes\n",
                   library_.rank(), collective, bytes, edges.graph.c_str(), scheme.c_str());
      std::exit(1);
    }
    rows_.row((edges.graph + "/" + collective).c_str(), bytes, scheme.c_str(), call);
  }

  Library& library_;
  timed_rows<Library> rows_;
  std::vector<char> in_;
  std::vector<char> out_;
  std::vector<char> wanted_;
};

}  // namespace compare
