// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/composite/composite_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/conduit/composite/detail/composite_endpoint.hpp"

namespace upwash::conduit {
namespace composite {
namespace {

int ranks_of(const composite_parts& parts) {
  int ranks = 0;
  for (const auto& node : parts.nodes) ranks += node->size();
  return ranks;
}

[[noreturn]] void misfit(const std::string& why) {
  throw error(error_kind::argument, fmt::format("composite: {}", why));
}

/// What all the inner parts can do, so that all ranks say the same: they may differ, as by their
/// numbers of ranks.
capabilities common(const std::vector<std::unique_ptr<world>>& nodes) {
  capabilities can = nodes.front()->endpoint_of(0).describe();
  for (const auto& node : nodes) {
    const capabilities& other = node->endpoint_of(0).describe();
    can.ordered = can.ordered && other.ordered;
    for (std::size_t i = 0; i < nearness_count; ++i) {
      const std::size_t least = std::min(can.peers[i].medium_bytes, other.peers[i].medium_bytes);
      can.peers[i].medium_bytes = least;
      peer_capabilities alike = other.peers[i];
      alike.medium_bytes = least;
      if (alike != can.peers[i]) misfit("the nodes' conduits can do different things");
    }
  }
  return can;
}

class composite_world final : public world {
 public:
  explicit composite_world(composite_parts parts)
      : parts_(std::move(parts)),
        random_(parts_.seed, 0x636f6d70),
        ranks_(ranks_of(parts_), parts_.stack_bytes, random_) {
    if (parts_.between->size() != ranks_of(parts_)) {
      misfit(fmt::format("the nodes have {} ranks, the world between them {}", ranks_of(parts_),
                         parts_.between->size()));
    }
    shared_.can = combine(common(parts_.nodes), parts_.between->endpoint_of(0).describe(),
                          parts_.nodes.size() > 1);
    shared_.ranks = &ranks_;
    if (shared_.can.virtual_time) misfit("virtual time passes only in the world that is run");
    shared_.name = fmt::format("{}+{}", parts_.nodes.front()->endpoint_of(0).describe().name,
                               parts_.between->endpoint_of(0).describe().name);
    shared_.can.name = shared_.name;
    for (std::size_t node = 0; node < parts_.nodes.size(); ++node) place_node(node);
    for (const auto& node : parts_.nodes) make_endpoints(*node);
  }

  [[nodiscard]] int size() const noexcept override {
    return static_cast<int>(shared_.places.size());
  }
  [[nodiscard]] int first_rank() const noexcept override { return 0; }
  [[nodiscard]] int local_ranks() const noexcept override { return size(); }
  [[nodiscard]] endpoint& endpoint_of(int rank) override {
    return *by_rank_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] waiter& waiter_of(int rank) override { return endpoint_of(rank); }
  void watch_turns(switch_watch& by) override { ranks_.watch(by); }
  void run(function_ref<void(int)> body) override {
    const auto events = [this] { return shared_.events; };
    const auto receiver = [this](int rank) {
      return by_rank_[static_cast<std::size_t>(rank)]->receiver_of(rank);
    };
    ranks_.run(body, events, receiver);
  }

 private:
  /// Processes and sockets are numbered on behind those of the nodes before.
  void place_node(std::size_t node) {
    world& ranks = *parts_.nodes[node];
    const location before = shared_.places.empty() ? location{-1, -1, -1} : shared_.places.back();
    for (int r = 0; r < ranks.size(); ++r) {
      const location inside = ranks.endpoint_of(r).place(r);
      shared_.places.push_back({static_cast<int>(node), before.socket + 1 + inside.socket,
                                before.process + 1 + inside.process});
    }
  }
  void make_endpoints(world& node) {
    const auto node_first = static_cast<int>(by_rank_.size());
    const int node_end = node_first + node.size();
    for (int r = 0; r < node.size(); r += node.endpoint_of(r).local_ranks()) {
      endpoint& inner = node.endpoint_of(r);
      endpoint& outer = parts_.between->endpoint_of(node_first + r);
      if (outer.first_rank() != node_first + r || outer.local_ranks() != inner.local_ranks()) {
        misfit(
            fmt::format("ranks {} to {} share an endpoint inside their node, {} to {} between "
                        "nodes",
                        node_first + r, node_first + r + inner.local_ranks() - 1,
                        outer.first_rank(), outer.first_rank() + outer.local_ranks() - 1));
      }
      endpoints_.push_back(
          std::make_unique<composite_endpoint>(shared_, inner, outer, node_first, node_end));
      by_rank_.insert(by_rank_.end(), static_cast<std::size_t>(inner.local_ranks()),
                      endpoints_.back().get());
    }
  }

  composite_parts parts_;
  shared_state shared_;
  random_stream random_;
  fiber_ranks ranks_;
  std::vector<std::unique_ptr<composite_endpoint>> endpoints_;
  std::vector<composite_endpoint*> by_rank_;
};

}  // namespace
}  // namespace composite

std::unique_ptr<world> make_composite_world(composite_parts parts) {
  if (parts.nodes.empty() || parts.between == nullptr) {
    composite::misfit("at least one node and a world between nodes are wanted");
  }
  return std::make_unique<composite::composite_world>(std::move(parts));
}

}  // namespace upwash::conduit
