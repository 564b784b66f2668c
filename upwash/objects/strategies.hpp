// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The strategies that are there: `array.bind(each_to_many())`. Source: Kumar 2005, table 6.1.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "upwash/objects/strategy.hpp"
#include "upwash/streaming/options.hpp"

namespace upwash {

/// Bracketed: the calls of a member's objects for one member are one message, and these are one
/// many_to_many (collective/many_to_many.hpp) of all members a bracket. `algorithm`: NAME[:options]
/// of that collective, such as "direct", "mesh2d", "mesh3d", "hypercube"; empty: chosen for what
/// the calls were like between the last two fences. Several brackets may be under way: they travel
/// one after the other. Memory: the bytes of the calls of a bracket, twice.
[[nodiscard]] std::unique_ptr<strategy> each_to_many(std::string algorithm = {});

/// The same for calls of sections: a member's calls travel once to each member that any of its
/// sections stands on (many_to_many_multicast).
[[nodiscard]] std::unique_ptr<strategy> each_to_many_multicast(std::string algorithm = {});

struct streaming_options {
  stream_options stream = {};
  /// Calls of a lower priority than this travel at once, by themselves (prioritised streaming).
  int urgent_below = std::numeric_limits<int>::min();
};

/// Not bracketed: calls for one member collect in buffers of a stream (docs/streams.md), through
/// one dimension or, on a mesh of members, several.
[[nodiscard]] std::unique_ptr<strategy> streaming_calls(streaming_options with = {});

/// Chooses among strategies when an array is quiet. Programs write their own.
class strategy_switch {
 public:
  strategy_switch() = default;
  virtual ~strategy_switch() = default;
  strategy_switch(const strategy_switch&) = delete;
  strategy_switch& operator=(const strategy_switch&) = delete;

  /// The place of one of the strategies, of which `now` runs, in view of what calls were like since
  /// the last fence (mean.members is 0 where there were none). The same at all members. May
  /// communicate on the team, collectively.
  [[nodiscard]] virtual std::size_t choose(const team& among, const call_pattern& mean,
                                           std::size_t now) = 0;
};

/// The first of the strategies, until the switch chooses another. Throws `error` (argument) where
/// none is given, or some are bracketed and some not. Source: Kumar 2005, 6.4.
[[nodiscard]] std::unique_ptr<strategy> switch_among(
    std::vector<std::unique_ptr<strategy>> eligible, std::unique_ptr<strategy_switch> by);

}  // namespace upwash
