// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The strategies for calls between objects: `array.bind(each_to_many())`. Source: Kumar 2005, table
// 6.1.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "upwash/objects/strategy.hpp"
#include "upwash/streaming/options.hpp"

namespace upwash {

/// Makes a bracketed strategy. The calls of a member's objects for one member form one message. The
/// messages of a bracket form one many_to_many of all members (collective/many_to_many.hpp).
/// `algorithm`: NAME[:options] of that collective, for example "direct", "mesh2d", "mesh3d",
/// "hypercube". Empty: chosen for the calls between the last two fences. Several brackets may be in
/// progress; they travel one after the other. Memory: twice the bytes of the calls of a bracket.
[[nodiscard]] std::unique_ptr<strategy> each_to_many(std::string algorithm = {});

/// Makes the same strategy for calls of sections: a member's call travels once to each member with
/// objects of the section (many_to_many_multicast).
[[nodiscard]] std::unique_ptr<strategy> each_to_many_multicast(std::string algorithm = {});

struct streaming_options {
  stream_options stream = {};
  /// Calls with a priority below this value travel at once, each on its own (prioritised
  /// streaming).
  int urgent_below = std::numeric_limits<int>::min();
};

/// Makes a strategy without brackets: calls for one member collect in buffers of a stream
/// (docs/streams.md), in one dimension or, on a mesh of members, several.
[[nodiscard]] std::unique_ptr<strategy> streaming_calls(streaming_options with = {});

/// Chooses among strategies when an array is quiet. Programs write their own.
class strategy_switch {
 public:
  strategy_switch() = default;
  virtual ~strategy_switch() = default;
  strategy_switch(const strategy_switch&) = delete;
  strategy_switch& operator=(const strategy_switch&) = delete;

  /// Returns the position of the strategy to use. `now`: the current one. `mean`: the calls since
  /// the last fence; mean.members is 0 if there were none. The same at all members. May communicate
  /// on the team, collectively.
  [[nodiscard]] virtual std::size_t choose(const team& among, const call_pattern& mean,
                                           std::size_t now) = 0;
};

/// Makes a strategy that uses the first of `eligible` until `by` chooses another. Throws `error`
/// (argument) if `eligible` is empty, or if some of them are bracketed and others are not. Source:
/// Kumar 2005, 6.4.
[[nodiscard]] std::unique_ptr<strategy> switch_among(
    std::vector<std::unique_ptr<strategy>> eligible, std::unique_ptr<strategy_switch> by);

}  // namespace upwash
