// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/harness/composite_worlds.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/composite/composite_world.hpp"
#include "upwash/conduit/loopback/loopback_world.hpp"
#include "upwash/conduit/process_knobs.hpp"
#include "upwash/conduit/shm/shm_row.hpp"
#include "upwash/conduit/shm/shm_world.hpp"

namespace upwash::test {
namespace {

using namespace conduit;

/// Of a process that is the only one.
class lone_bootstrap final : public bootstrap {
 public:
  explicit lone_bootstrap(int ranks) : layout_(rank_layout::even(ranks, 1)) {}
  [[nodiscard]] int process() const noexcept override { return 0; }
  [[nodiscard]] int process_count() const noexcept override { return 1; }
  [[nodiscard]] const rank_layout& layout() const noexcept override { return layout_; }
  void exchange(std::span<const std::byte> mine, std::span<std::byte> all) override {
    std::memcpy(all.data(), mine.data(), mine.size());
  }
  void barrier() override {}
  void finished() noexcept override {}
  [[noreturn]] void abort(int /*rank*/, int /*status*/,
                          std::string_view /*why*/) noexcept override {
    std::abort();
  }
  void desert(int /*rank*/, std::string_view /*why*/) noexcept override {}
  [[nodiscard]] bool failed() const noexcept override { return false; }

 private:
  rank_layout layout_;
};

/// A shared-memory world with the bootstrap that it needs.
class lone_world final : public world {
 public:
  explicit lone_world(int ranks) : boot_(ranks) {
    knob_table table;
    table.add(shm_row().knobs);
    table.add(process_knobs());
    settings values = settings::defaults(table);
    values.set("shm_ring_lines", "16");  // rings run full
    values.set("shm_payload", "4k");
    world_ = make_shm_world(boot_, values);
  }
  [[nodiscard]] int size() const noexcept override { return world_->size(); }
  [[nodiscard]] int first_rank() const noexcept override { return 0; }
  [[nodiscard]] int local_ranks() const noexcept override { return world_->size(); }
  [[nodiscard]] endpoint& endpoint_of(int rank) override { return world_->endpoint_of(rank); }
  [[nodiscard]] waiter& waiter_of(int rank) override { return world_->waiter_of(rank); }
  void run(function_ref<void(int)> body) override { world_->run(body); }

 private:
  lone_bootstrap boot_;
  std::unique_ptr<world> world_;
};

std::unique_ptr<world> node_of(inside kind, int ranks, std::uint64_t seed) {
  if (kind == inside::shm) return std::make_unique<lone_world>(ranks);
  loopback_options options;
  options.ranks = ranks;
  options.seed = seed;
  options.direct_access = kind == inside::direct;
  if (kind == inside::direct) options.medium_bytes = 2048;
  return make_loopback_world(options);
}

}  // namespace

std::unique_ptr<conduit::world> composite_of(inside kind, int ranks, int node_ranks,
                                             std::uint64_t seed) {
  composite_parts parts;
  parts.seed = seed;
  for (int first = 0; first < ranks; first += node_ranks) {
    const auto node = parts.nodes.size();
    parts.nodes.push_back(node_of(kind, std::min(node_ranks, ranks - first), seed * 100 + node));
  }
  loopback_options between;
  between.ranks = ranks;
  between.seed = seed;
  between.ranks_per_endpoint = kind == inside::shm ? node_ranks : 1;
  parts.between = make_loopback_world(between);
  return make_composite_world(std::move(parts));
}

}  // namespace upwash::test
