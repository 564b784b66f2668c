// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a collective is asked to do, as all members of the team see it: what choices depend on.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "upwash/schedule/lower.hpp"

namespace upwash::collective {

enum class kind : std::uint8_t {
  barrier,
  broadcast,
  scatter,
  scatter_v,
  gather,
  gather_v,
  reduce,
  all_gather,
  all_gather_v,
  all_to_all,
  all_to_all_v,
  many_to_many,
  many_to_many_multicast,
  all_reduce,
  reduce_scatter,
  reduce_scatter_v,
  scan,
  exclusive_scan,
};
[[nodiscard]] std::string_view to_string(kind of) noexcept;
/// One member's buffer holds the blocks, or the result, of all.
[[nodiscard]] bool is_rooted(kind of) noexcept;
/// Blocks of different lengths whose counts the caller gives in elements: gather_v and its like.
[[nodiscard]] bool is_uneven(kind of) noexcept;

/// A collective call as all members see it: the same on the whole team. Choices are functions of
/// it, and whoever keeps something by problem compares the whole of it (problem_cache.hpp).
struct problem {
  kind what = kind::barrier;
  int ranks = 1;
  /// Of the vector (broadcast, reduce, all_reduce, scans), of one block (scatter, gather,
  /// all_gather, reduce_scatter: a rank's, all_to_all: a pair's). In the v variants and in
  /// many-to-many: the mean of a message, for choosing and pricing only.
  std::uint64_t bytes = 0;
  /// Many-to-many: destinations a member, for choosing and pricing only; 0: all.
  int degree = 0;
  bool known_senders = false;  ///< many-to-many: each member knows who sends to it
  std::uint32_t element_bytes = 1;
  int root = 0;
  bool in_place = false;
  bool commutative = true;
  /// Consecutive ranks of the team on one node, where they are so; else 1.
  int ranks_per_node = 1;
  schedule::address_mode addresses = schedule::address_mode::local;
  bool checked = false;        ///< what members tell of each other is verified, whatever it costs
  bool direct_access = false;  ///< all members load and store each other's memory
  /// Where they do: what a member may lay out for the others. As in the world; other teams have
  /// less.
  std::uint64_t shared_scratch = std::uint64_t{1} << 20U;
  bool network_collectives = false;  ///< the switches carry out collectives: simulated ones do
  schedule::sync_mode entry = schedule::sync_mode::mine;
  schedule::sync_mode exit = schedule::sync_mode::mine;
  /// The largest edge that travels eagerly, where the choice of an algorithm names no other.
  std::uint64_t eager_bytes = 512;
  /// The largest that a choice may let travel so: what the conduit carries; 0: none is chosen.
  std::uint64_t eager_limit = 0;
  std::optional<schedule::mechanism> transfer{};  ///< of all edges that can travel so; else by size
  /// Meshes copy what goes into a message by one step: for the time that large teams take, never
  /// for a run.
  bool whole_messages = false;
  bool overlapped = false;  ///< members compute meanwhile: little work counts, not an early end
  /// collective_options::label: for selectors of one's own; good while the choice is made.
  std::string_view label{};

  friend auto operator<=>(const problem&, const problem&) = default;
};

enum class end_of_class : std::uint8_t { least, most };

/// The problem whose prices stand for those of `call`: the same for all calls of a class, whichever
/// came first. Bytes: of those with the same three leading bits the least, so at most a quarter
/// less (or the most); in whole elements, and eager only where the call is; 256 where nobody can
/// know them (all_to_all_v, gather_v, scatter_v). Degree: a power of two. Root: at the same place
/// of the first node. No label.
[[nodiscard]] problem representative_of(problem call, int ranks_of_node,
                                        end_of_class end = end_of_class::least) noexcept;

}  // namespace upwash::collective
