// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The least capable conduit: one process, medium messages of 512 B, unordered, no remote write,
// no atomics, random retry. It stands for engines to come: what runs here runs anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "upwash/conduit/world.hpp"

namespace upwash::conduit {

/// What every conduit carries as one payload.
inline constexpr std::size_t least_medium_bytes = 512;

struct loopback_options {
  int ranks = 1;
  int ranks_per_endpoint = 1;
  std::uint64_t seed = 0;
  std::size_t queue_messages = 8;  ///< credit for each pair of endpoints and lane
  double retry_fraction = 0.1;     ///< injections that are refused at random
  std::size_t stack_bytes = 256 * 1024;
  std::size_t medium_bytes = least_medium_bytes;
  /// Ranks load and store each other's segments. For the part of a composite that is inside nodes:
  /// alone, ranks that only store are taken for deadlocked.
  bool direct_access = false;
};

[[nodiscard]] std::unique_ptr<world> make_loopback_world(const loopback_options& options);

}  // namespace upwash::conduit
