// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange over a grid whose rows are nodes: valid for blocks of equal and of random lengths,
// on nodes of which the last may have fewer ranks, and one message from each rank to each other
// node.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/collective/rows.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/collective/validate.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

using test::rows;

problem call_of(kind of, int ranks, int ranks_per_node) {
  problem call{.of = of, .ranks = ranks, .bytes = 12, .element_bytes = 4};
  call.ranks_per_node = ranks_per_node;
  return call;
}

std::uint64_t messages_between_nodes(const selection& one, const problem& call) {
  std::uint64_t messages = 0;
  for (int rank = 0; rank < call.ranks; ++rank) {
    generator steps = one.schedule_of(call, rank);
    for (step s; steps.next(s);) {
      const bool leaves =
          s.kind == step_kind::send && s.peer / call.ranks_per_node != rank / call.ranks_per_node;
      messages += leaves ? 1 : 0;
    }
  }
  return messages;
}

}  // namespace

TEST(mesh_nodes, fits_its_definition_on_nodes_of_any_size) {
  std::uint64_t seed = 0;
  for (const kind of : {kind::all_to_all, kind::all_to_all_v}) {
    const selection one = rows().named(of, "mesh_nodes");
    for (int ranks = 3; ranks <= 17; ++ranks) {
      for (int per_node = 2; per_node < ranks; per_node += 1 + per_node / 4) {
        ASSERT_EQ(validate(one, call_of(of, ranks, per_node), ++seed), "")
            << to_string(of) << ", " << ranks << " ranks, " << per_node << " a node";
      }
    }
  }
}

TEST(mesh_nodes, sends_a_message_from_each_rank_to_each_other_node) {
  const problem call = call_of(kind::all_to_all, 32, 8);
  const auto messages = [&](const std::string& name) {
    return messages_between_nodes(rows().named(call.of, name), call);
  };
  EXPECT_EQ(messages("mesh_nodes"), 32U * 3U);
  EXPECT_EQ(messages("direct"), 32U * 24U);
}

TEST(mesh_nodes, wants_several_nodes) {
  for (const int per_node : {1, 8}) {
    const problem call = call_of(kind::all_to_all_v, 8, per_node);
    EXPECT_EQ(registry::objection(rows().named(call.of, "mesh_nodes"), call),
              "mesh_nodes: ranks are not on several nodes with as many consecutive ones each");
  }
}
