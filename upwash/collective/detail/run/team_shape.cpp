// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/team_shape.hpp"

#include <vector>

#include "upwash/collective/detail/run/service.hpp"
#include "upwash/collective/detail/run/team_records.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/reach.hpp"

namespace upwash::collective {
namespace detail {
namespace {

/// None where nothing is to be gained by it.
model::shared_node_map nodes_of(const team& among) {
  if (!nodes_direct(among)) return {};
  const conduit::endpoint& where = host(among.here()).endpoint();
  std::vector<int> node_of;
  for (int member = 0; member < among.size(); ++member) {
    node_of.push_back(where.place(among.world_rank(member)).node);
  }
  auto made = std::make_shared<const model::node_map>(node_of);
  if (!made->has_levels()) return {};
  return {std::move(made)};
}

}  // namespace

const team_shape& shape_of(const team& among, team_record& record) {
  if (record.shape) return *record.shape;
  auto& facts = host(among.here()).endpoint().facts();
  record.shape = facts.find_or_make<team_shape>(among.id(), 0);
  if (record.shape->ranks_per_node == 0) {
    *record.shape = {ranks_a_node(among), processes_shared_by(among), nodes_of(among)};
  }
  return *record.shape;
}

void tell_nodes(const team& among, team_record& record, problem& call) {
  const team_shape& shape = shape_of(among, record);
  call.ranks_per_node = shape.ranks_per_node;
  call.processes = shape.processes;
  call.nodes = {};
  call.node_scratch = 0;
  if (!record.shared) return;
  call.nodes = shape.nodes;
  call.node_scratch = record.shared->half_scratch_bytes();
}

}  // namespace detail

void tell_nodes(const team& among, problem& call) {
  detail::tell_nodes(among, among.here().service<detail::executor>().record_of(among), call);
}

int processes_shared_by(const team& among) {
  const conduit::endpoint& where = host(among.here()).endpoint();
  const auto process = [&](int member) { return where.place(among.world_rank(member)).process; };
  int processes = 1;
  for (int member = 1; member < among.size(); ++member) {
    if (process(member) != process(member - 1)) ++processes;
  }
  if (processes == among.size()) return 0;
  const int each = among.size() / processes;
  const int larger = among.size() % processes;
  for (int p = 0, first = 0; p < processes; ++p) {
    const int last = first + each + (p < larger ? 1 : 0) - 1;
    if (process(first) != process(last)) return 0;
    first = last + 1;
  }
  return processes;
}

int ranks_a_node(const team& among) {
  const conduit::endpoint& where = host(among.here()).endpoint();
  const auto node = [&](int member) { return where.place(among.world_rank(member)).node; };
  int each = 1;
  while (each < among.size() && node(each) == node(0)) ++each;
  for (int member = 1; member < among.size(); ++member) {
    const bool starts = member % each == 0;
    if (starts == (node(member) == node(member - 1))) return 1;
  }
  return each;
}

}  // namespace upwash::collective
