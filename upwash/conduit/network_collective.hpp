// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank's part in a collective that the network itself executes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/base/function_ref.hpp"

namespace upwash::conduit {

/// One rank's part. The parts of all members are equal, except for their buffers.
struct network_collective {
  enum class kind : std::uint8_t {
    barrier,
    broadcast,  ///< the root's `from` to the `into` of all members
    reduce,     ///< all `from` combined, in any order, into the `into` of the root, or of all
  };
  kind what = kind::barrier;
  int root = -1;  ///< world rank; reductions with -1: all members get the result

  // With the kind, the name of the collective: not reused before the parts of all members are done.
  std::uint64_t team = 0;
  std::uint64_t run = 0;
  std::uint64_t step = 0;

  int members = 1;
  int place = 0;                            ///< of the rank, among the members
  function_ref<int(int place)> world_rank;  ///< of a member; called during the call only

  std::span<const std::byte> from;  ///< the same length at all members that have one; copied by the
                                    ///< call
  std::span<std::byte> into;        ///< belongs to the conduit until the collective is done
  void (*combine)(const std::byte* left, const std::byte* right, std::byte* into, std::size_t bytes,
                  const void* context) = nullptr;
  const void* context = nullptr;  ///< valid as long as `into`
};

}  // namespace upwash::conduit
