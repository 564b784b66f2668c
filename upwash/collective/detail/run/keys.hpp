// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Names of operations and their edges, as they travel and as tables find them.
#pragma once

#include <compare>
#include <cstdint>

#include "upwash/schedule/step.hpp"

namespace upwash::collective::detail {

/// Names an operation on this rank: its team, and operation::run.
struct run_key {
  std::uint64_t team = 0;
  std::uint64_t run = 0;
  friend auto operator<=>(const run_key&, const run_key&) = default;
};

struct run_hash {
  [[nodiscard]] std::uint64_t operator()(const run_key& key) const noexcept {
    std::uint64_t mixed = key.team * 0x9e3779b97f4a7c15U ^ key.run;
    mixed = (mixed ^ mixed >> 29U) * 0xbf58476d1ce4e5b9U;
    return mixed ^ mixed >> 32U;
  }
};

/// Names an edge between this rank and another.
struct edge_key {
  std::uint64_t team = 0;
  std::uint64_t run = 0;   ///< the operation's number on its team, and its start
  std::uint64_t edge = 0;  ///< phase and edge
  int source = 0;          ///< world rank of the other
  friend bool operator==(const edge_key&, const edge_key&) = default;

  [[nodiscard]] run_key operation() const noexcept { return {team, run}; }
};

struct edge_hash {
  [[nodiscard]] std::uint64_t operator()(const edge_key& key) const noexcept {
    std::uint64_t mixed = run_hash{}(key.operation()) ^ key.edge;
    mixed = (mixed ^ mixed >> 31U) * 0x94d049bb133111ebU ^ static_cast<std::uint32_t>(key.source);
    mixed = (mixed ^ mixed >> 29U) * 0xbf58476d1ce4e5b9U;
    return mixed ^ mixed >> 32U;
  }
};

/// Names a member's input or output.
struct peer_buffer {
  int owner = 0;  ///< rank in the team
  schedule::buffer which = schedule::buffer::none;
  friend bool operator==(const peer_buffer&, const peer_buffer&) = default;
};

struct peer_buffer_hash {
  [[nodiscard]] std::uint64_t operator()(const peer_buffer& key) const noexcept {
    const std::uint64_t name =
        std::uint64_t{static_cast<std::uint32_t>(key.owner)} * schedule::buffer_kinds +
        static_cast<std::uint64_t>(key.which);
    return name * 0x9e3779b97f4a7c15U >> 20U;
  }
};

}  // namespace upwash::collective::detail
