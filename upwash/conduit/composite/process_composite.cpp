// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/composite/process_composite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/conduit/composite/detail/composite_endpoint.hpp"
#include "upwash/conduit/composite/detail/node_bootstrap.hpp"
#include "upwash/conduit/process_knobs.hpp"
#include "upwash/conduit/process_world.hpp"

namespace upwash::conduit {
namespace composite {
namespace {

/// What a process tells of its part inside the node.
struct inner_facts {
  std::array<std::uint64_t, nearness_count> medium_bytes{};
  std::int32_t socket = 0;  ///< in the node
  std::int32_t unused = 0;
};

process_endpoint& endpoint_of(world& part) {
  if (auto* of_process = dynamic_cast<process_world*>(&part)) {
    return of_process->endpoint_of(part.first_rank());
  }
  throw error(error_kind::argument,
              fmt::format("composite: the ranks of conduit {} are not in processes",
                          part.endpoint_of(part.first_rank()).describe().name));
}

/// A node's processes are pretended only once: to the part inside, they are all on one.
settings without_pretended_nodes(settings values) {
  values.set("fake_nodes", "0");
  return values;
}

/// The parts, made before the endpoint that joins them.
struct parts {
  parts(world_maker inside, world_maker between, const settings& values, bootstrap& boot)
      : nodes(nodes_of(boot, values)),
        node(boot, nodes),
        inner(inside(without_pretended_nodes(values), &node)),
        outer(between(values, &boot)) {
    agree(boot);
    shared.name = fmt::format("{}+{}", endpoint_of(*inner).describe().name,
                              endpoint_of(*outer).describe().name);
    shared.can.name = shared.name;
    log(log_level::info, shared.name,
        fmt::format(
            "{} between the {} ranks of this node, {} to the others of {} ranks on {} nodes",
            endpoint_of(*inner).describe().name, node.layout().ranks(),
            endpoint_of(*outer).describe().name, boot.layout().ranks(), nodes.back() + 1));
  }

  /// Parts inside nodes differ by the numbers of their processes; what holds for all counts.
  void agree(bootstrap& boot) {
    capabilities common = endpoint_of(*inner).describe();
    inner_facts mine;
    for (std::size_t i = 0; i < nearness_count; ++i) {
      mine.medium_bytes[i] = common.peers[i].medium_bytes;
    }
    mine.socket = endpoint_of(*inner).place(inner->first_rank()).socket;
    std::vector<inner_facts> all(nodes.size());
    boot.exchange(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    for (const inner_facts& one : all) {
      for (std::size_t i = 0; i < nearness_count; ++i) {
        common.peers[i].medium_bytes =
            std::min<std::size_t>(common.peers[i].medium_bytes, one.medium_bytes[i]);
      }
    }
    shared.can = combine(common, endpoint_of(*outer).describe(), nodes.back() > 0);
    place(boot.layout(), all);
  }

  /// Sockets are numbered on behind those of the nodes before.
  void place(const rank_layout& layout, const std::vector<inner_facts>& all) {
    int before = 0;  // sockets of earlier nodes
    int last = -1;   // socket so far
    for (std::size_t p = 0; p < nodes.size(); ++p) {
      if (p > 0 && nodes[p] != nodes[p - 1]) before = last + 1;
      last = std::max(last, before + all[p].socket);
      shared.places.insert(shared.places.end(),
                           static_cast<std::size_t>(layout.count_of(static_cast<int>(p))),
                           {nodes[p], before + all[p].socket, static_cast<int>(p)});
    }
  }

  std::vector<int> nodes;
  node_bootstrap node;
  std::unique_ptr<world> inner;
  std::unique_ptr<world> outer;
  shared_state shared;
};

class owning_endpoint final : private parts, public composite_endpoint {
 public:
  owning_endpoint(world_maker inside, world_maker between, const settings& values, bootstrap& boot)
      : parts(inside, between, values, boot),
        composite_endpoint(shared, composite::endpoint_of(*inner), composite::endpoint_of(*outer),
                           node.first_rank(), node.end_rank()) {}
};

}  // namespace
}  // namespace composite

std::unique_ptr<world> make_process_composite(world_maker inside, world_maker between,
                                              const settings& values, bootstrap& boot) {
  return std::make_unique<process_world>(
      std::make_unique<composite::owning_endpoint>(inside, between, values, boot), values);
}

}  // namespace upwash::conduit
