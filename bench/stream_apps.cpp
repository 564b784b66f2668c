// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What apps/randomaccess and apps/unionfind do, as benches: RandomAccess of HPC Challenge, with
// every update taken back again, and the components of a real graph.
#include <fmt/format.h>

#include <filesystem>

#include "apps/randomaccess/generator.hpp"
#include "apps/randomaccess/table.hpp"
#include "apps/unionfind/graph_part.hpp"
#include "bench/stream_common.hpp"
#include "upwash/base/data_folders.hpp"

namespace upwash::bench {
namespace {

constexpr std::uint64_t table_words = std::uint64_t{1} << 20U;

/// M/s of updates of all ranks. Made twice they leave the table as it was; only once is timed.
void update_rate(context& c, const item_setting& how) {
  randomaccess::table_part table(table_words, c.size(), c.rank());
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

/// us for the components of the graph; each sample counts them.
void unite_time(context& c, const item_setting& how, unionfind::graph_part& mine,
                std::uint64_t components) {
  using unionfind::link;
  function_ref<void(const link&)>* climb_on = nullptr;
  const auto climb = [&](const link& what) {
    if (const auto left = mine.climb(what)) (*climb_on)(*left);
  };
  with_items<link>(c.here().world(), how, climb, [&](auto& items) {
    const auto push = [&](const link& what) { items.push(mine.owner(what), what); };
    function_ref<void(const link&)> pushing(push);
    climb_on = &pushing;
    c.measure({how.name, sizeof(link), "us", false}, [&](long n) {
      duration spent;
      for (long i = 0; i < n; ++i) {
        mine.reset();
        control::barrier(c.here().world());
        const duration begin = c.here().now();
        for (const link& each : mine.edges()) push(each);
        items.finish();
        spent += c.here().now() - begin;
        verify_equal(c, how.name,
                     sum_of_all(c, unionfind::count_roots(mine.parents(), mine.first())),
                     components);
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
  unionfind::graph_part mine(graph, c.size(), c.rank());
  const std::uint64_t components = unionfind::count_roots(unionfind::roots_of(graph));
  for (const item_setting& how : settings_of(c, {"auto", "1d", "2d", "direct"})) {
    unite_time(c, how, mine, components);
  }
}

}  // namespace upwash::bench
