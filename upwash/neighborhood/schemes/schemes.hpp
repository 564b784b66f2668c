// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The schemes for blocks of neighbors: each is a coroutine that routes one rank's parcels
// (relay/router.hpp). One table names all of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/model/choice.hpp"
#include "upwash/neighborhood/relay/router.hpp"

namespace upwash::neighborhoods {

struct scheme_facts {
  bool needs_grid = false;     ///< ranks lie on a grid
  bool shares_memory = false;  ///< ranks load and store each other's memory
  bool straight = false;  ///< own blocks go to their destinations in one round, without forwarding
  bool only_messages = false;  ///< also if the ranks of a node share memory
};

struct scheme {
  model::choice is;
  routing (*route)(router& at, const model::values& with) = nullptr;
  scheme_facts facts{};
};

/// A scheme with values for its parameters.
struct chosen_scheme {
  const scheme* is = nullptr;
  model::values with{};
  [[nodiscard]] routing route(router& at) const { return is->route(at, with); }
};

[[nodiscard]] std::span<const scheme> all_schemes() noexcept;
/// Reads NAME[:key=value,...]. Throws `error` (argument) for an unknown name or value.
[[nodiscard]] chosen_scheme scheme_named(std::string_view text);
[[nodiscard]] std::string text_of(const chosen_scheme& one);
/// The placement of the ranks, as far as schemes depend on it.
struct scene {
  bool on_grid = false;
  bool several_nodes = false;
  bool shares_memory = false;       ///< all ranks
  bool nodes_share_memory = false;  ///< those of each node, on several nodes
};
/// Returns whether the ranks of a node pass blocks on in shared memory (relay_plan::hands_over).
[[nodiscard]] bool hands_over(const chosen_scheme& one, const scene& in) noexcept;
/// Returns the schemes that tools list and `best` chooses from, `direct` first. Leaves out schemes
/// with unmet needs, and friends (friends_for).
[[nodiscard]] std::vector<chosen_scheme> schemes_worth_a_look(const scene& in);

/// Sends each block directly to each neighbor. Messages: the number of destinations; the baseline.
routing direct(router& at, const model::values& with);
/// Each rank lays its blocks out once in memory that all share; receivers copy them from there.
/// Messages: none, except a word that all read; to other nodes as `direct`. Source: Nishtala et al.
/// 2009, collectives on shared memory.
routing shared(router& at, const model::values& with);
/// Sends blocks for a node there once, to one of their destinations, which forwards them. Messages
/// between nodes: the nodes with destinations. Source: "node 2-step", Bienz, Gropp and Olson 2019.
routing node_forward(router& at, const model::values& with);
/// Sends all blocks of a node for another node in one message (heavy ones in a few); leaders gather
/// and distribute. Messages between nodes: pairs of nodes with edges. Source: "node 3-step", Bienz,
/// Gropp and Olson 2019; leaders by load: Ghazimirsaeed 2020.
routing node_pairs(router& at, const model::values& with);
/// Halves of the ranks exchange the blocks for the other half, then each half does the same.
/// Messages: log2 of the parts, for any degree. Parameter: the parts are nodes, with direct
/// messages inside, or ranks.
routing halving(router& at, const model::values& with);
/// Works on a grid, dimension by dimension: a rank's blocks grow by shifts that double. Messages:
/// about log2(2r+1) a dimension. No block travels twice to a rank if neighborhoods are boxes.
/// Source: Träff and Hunold 2019 (isomorphic neighbourhoods), with doubling within a dimension.
routing doubling(router& at, const model::values& with);
/// Returns its number of rounds, for any edges within that reach.
[[nodiscard]] int steps_of_doubling(const grid_reach& reach);
/// Groups of k ranks with common neighbors exchange their blocks. Each rank then sends the blocks
/// of all to a k-th of these neighbors: m/k + k - 1 messages a rank instead of m. Ranks find groups
/// by asking each other, stage by stage until no group is left; other blocks go directly. Blocks
/// travel in two rounds: first to the friends of all stages, then on. Cumulative: one round a stage
/// among friends, and blocks for neighbors go at the end. Parameters: k, theta, aware, cumulative.
/// Cost of a plan: messages to all ranks with enough common destinations. Source: Ghazimirsaeed
/// 2019.
routing friends(router& at, const model::values& with);
/// The form of the source: two rounds for each stage; friends that meet again send again.
routing friends_staged(router& at, const model::values& with);

}  // namespace upwash::neighborhoods
