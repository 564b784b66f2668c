// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The schemes by which neighbours' blocks travel: each a coroutine that routes one rank's parcels
// (relay/router.hpp). One table names them all.
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
  bool straight = false;       ///< own blocks go to their destinations in one round, and no others
  bool only_messages = false;  ///< also where ranks of a node share memory
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
/// Where ranks are: what schemes may need.
struct scene {
  bool on_grid = false;
  bool several_nodes = false;
  bool shares_memory = false;       ///< all ranks
  bool nodes_share_memory = false;  ///< those of each node, on several nodes
};
/// Whether ranks of a node hand over blocks in the memory that they share (relay_plan::hands_over).
[[nodiscard]] bool hands_over(const chosen_scheme& one, const scene& in) noexcept;
/// Those that tools list and `best` chooses from, `direct` first: without those that need what is
/// not there, and without friends (friends_for).
[[nodiscard]] std::vector<chosen_scheme> schemes_worth_a_look(const scene& in);

/// Each block straight to each neighbour. Messages: the destinations; the baseline.
routing direct(router& at, const model::values& with);
/// Each rank lays its blocks in memory that all share, once; who wants one copies it from there.
/// Messages: none, but a word that all look at; to other nodes as `direct`. Source: Nishtala et al.
/// 2009, collectives on shared memory.
routing shared(router& at, const model::values& with);
/// Blocks for a node go there once, to one of their destinations, which hands them on. Messages
/// between nodes: the nodes with destinations. Source: "node 2-step", Bienz, Gropp and Olson 2019.
routing node_forward(router& at, const model::values& with);
/// What the ranks of a node have for another node goes there in one message (heavy ones in a few):
/// leaders gather and hand out. Messages between nodes: pairs of nodes with edges. Source: "node
/// 3-step", Bienz, Gropp and Olson 2019; leaders by load: Ghazimirsaeed 2020.
routing node_pairs(router& at, const model::values& with);
/// Halves of the ranks exchange what is for the other half, then their halves. Messages: log2 of
/// the parts, whatever the degree. Parameter: down to nodes, within which it goes direct, or ranks.
routing halving(router& at, const model::values& with);
/// On a grid, dimension by dimension: what a rank has grows by shifts that double. Messages: about
/// log2(2r+1) a dimension; no block travels twice to a rank where neighbourhoods are boxes. Source:
/// Träff and Hunold 2019 (isomorphic neighbourhoods), with doubling within a dimension.
routing doubling(router& at, const model::values& with);
/// Its rounds, whatever the edges are within that reach.
[[nodiscard]] int steps_of_doubling(const grid_reach& reach);
/// Groups of k ranks that have neighbours in common, found by asking each other, exchange their
/// blocks; each then sends those of all to a k-th of these neighbours: m/k + k - 1 messages a rank
/// instead of m. Groups are found stage by stage until none is left; the rest goes direct. Blocks
/// go in two rounds: first to the friends of all stages, then on. Cumulative: a round a stage among
/// friends, and what is for a neighbour goes at the end. Parameters: k, theta, aware, cumulative.
/// Making the plan: letters to all with enough in common. Source: Ghazimirsaeed 2019.
routing friends(router& at, const model::values& with);
/// As the source has it: two rounds for each stage, and friends who meet again send again.
routing friends_staged(router& at, const model::values& with);

}  // namespace upwash::neighborhoods
