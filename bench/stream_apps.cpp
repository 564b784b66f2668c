// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What apps/randomaccess and apps/unionfind do, as benches: RandomAccess of HPC Challenge, with
// every update taken back again, and the components of a real graph.
#include <fmt/format.h>

#include <bit>
#include <filesystem>
#include <numeric>

#include "apps/common/csr.hpp"
#include "apps/randomaccess/generator.hpp"
#include "apps/unionfind/forest.hpp"
#include "bench/stream_common.hpp"
#include "upwash/base/data_folders.hpp"

namespace upwash::bench {
namespace {

constexpr std::uint64_t table_words = std::uint64_t{1} << 20U;

/// A rank's share of the words, by their upper bits.
struct share_of_table {
  explicit share_of_table(const context& c)
      : each((table_words + static_cast<std::uint64_t>(c.size()) - 1) /
             static_cast<std::uint64_t>(c.size())),
        first(std::min(table_words, each * static_cast<std::uint64_t>(c.rank()))),
        words(std::min(each, table_words - first)) {
    std::iota(words.begin(), words.end(), first);
  }
  [[nodiscard]] int owner(std::uint64_t update) const {
    return static_cast<int>(update % table_words / each);
  }
  void apply(std::uint64_t update) { words[update % table_words - first] ^= update; }
  /// Words that are not as at first.
  [[nodiscard]] std::uint64_t changed() const {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < words.size(); ++i) count += words[i] != first + i ? 1 : 0;
    return count;
  }

  std::uint64_t each;
  std::uint64_t first;
  std::vector<std::uint64_t> words;
};

/// M/s of updates of all ranks. Made twice they leave the table as it was; only once is timed.
void update_rate(context& c, const item_setting& how) {
  share_of_table table(c);
  const auto apply = [&table](std::span<const std::uint64_t> some) {
    for (const std::uint64_t each : some) table.apply(each);
  };
  with_items<std::uint64_t>(c.here().world(), how, apply, [&](auto& items) {
    const auto update_all = [&](long n) {
      const std::uint64_t start =
          static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(c.rank());
      std::uint64_t number = randomaccess::number_at(start);
      control::barrier(c.here().world());
      const duration begin = c.here().now();
      for (long i = 0; i < n; ++i) {
        number = randomaccess::next(number);
        items.push(table.owner(number), number);
      }
      items.finish();
      return c.here().now() - begin;
    };
    c.measure({how.name, sizeof(std::uint64_t), "M/s", true}, [&](long n) {
      const duration spent = update_all(n);
      update_all(n);
      verify_equal(c, how.name, sum_of_all(c, table.changed()), 0);
      return static_cast<double>(n) * c.size() / spent.us();
    });
  });
}

/// The matrix that --graph names, or the one of the source tree.
std::string graph_file(const context& c) {
  if (!c.chosen().graph.empty()) return c.chosen().graph;
  for (const std::string& folder : data_folders("data/matrices")) {
    std::error_code ignored;
    const std::string file = folder + "/3elt.mtx";
    if (std::filesystem::exists(file, ignored)) return file;
  }
  throw error(error_kind::argument,
              "stream-unionfind: no graph is installed; name a Matrix Market file by --graph");
}

/// A graph, a rank's block of its vertices, and its share of the edges.
struct graph_share {
  graph_share(const context& c, const sparse::coordinate_matrix& graph)
      : block(sparse::block_of(graph.rows, c.size(), c.rank())),
        each(sparse::block_of(graph.rows, c.size(), 0).count),
        parents(static_cast<std::size_t>(block.count)) {
    std::vector<std::uint32_t> alone(static_cast<std::size_t>(graph.rows));
    std::iota(alone.begin(), alone.end(), 0U);
    for (const sparse::entry& one : graph.entries) {
      const unionfind::link edge = unionfind::link_of(static_cast<std::uint32_t>(one.row),
                                                      static_cast<std::uint32_t>(one.column));
      unionfind::unite(alone, edge);
      if (one.row >= block.first && one.row < block.first + block.count) edges.push_back(edge);
    }
    for (std::uint32_t v = 0; v < alone.size(); ++v) components += alone[v] == v ? 1 : 0;
  }
  void reset() { std::iota(parents.begin(), parents.end(), first()); }
  [[nodiscard]] std::uint32_t first() const { return static_cast<std::uint32_t>(block.first); }
  [[nodiscard]] int owner(const unionfind::link& what) const {
    return static_cast<int>(what.larger) / each;
  }
  /// Vertices here that are the least of their component.
  [[nodiscard]] std::uint64_t roots() const {
    std::uint64_t count = 0;
    for (std::uint32_t v = 0; v < parents.size(); ++v) count += parents[v] == first() + v ? 1 : 0;
    return count;
  }

  sparse::row_block block;
  int each;
  std::vector<std::uint32_t> parents;
  std::vector<unionfind::link> edges;
  std::uint64_t components = 0;  ///< of the graph, found by one alone
};

/// us for the components of the graph; each sample counts them.
void unite_time(context& c, const item_setting& how, graph_share& mine) {
  using unionfind::link;
  function_ref<void(const link&)>* climb_on = nullptr;
  const auto climb = [&](const link& what) {
    const auto left = unionfind::step(mine.parents[what.larger - mine.first()], what);
    if (left) (*climb_on)(*left);
  };
  with_items<link>(c.here().world(), how, climb, [&](auto& items) {
    const auto push = [&](const link& what) { items.push(mine.owner(what), what); };
    function_ref<void(const link&)> pushing(push);
    climb_on = &pushing;
    control::barrier(c.here().world());
    c.measure({how.name, sizeof(link), "us", false}, [&](long n) {
      duration spent;
      for (long i = 0; i < n; ++i) {
        mine.reset();
        control::barrier(c.here().world());
        const duration begin = c.here().now();
        for (const link& each : mine.edges) push(each);
        items.finish();
        spent += c.here().now() - begin;
        verify_equal(c, how.name, sum_of_all(c, mine.roots()), mine.components);
      }
      return spent.us() / static_cast<double>(n);
    });
  });
}

}  // namespace

void stream_random_access(context& c) {
  for (const item_setting& how : settings_of(c, {"auto", "1d", "2d", "direct"})) {
    update_rate(c, how);
  }
}

void stream_union_find(context& c) {
  const sparse::coordinate_matrix graph = sparse::read_matrix_market(graph_file(c));
  if (graph.rows != graph.columns) {
    throw error(error_kind::argument,
                fmt::format("stream-unionfind: {} x {} is no graph; a square matrix is wanted",
                            graph.rows, graph.columns));
  }
  graph_share mine(c, graph);
  for (const item_setting& how : settings_of(c, {"auto", "1d", "2d", "direct"})) {
    unite_time(c, how, mine);
  }
}

}  // namespace upwash::bench
