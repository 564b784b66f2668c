// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A collective that the network itself carries out: what a rank tells its conduit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/base/function_ref.hpp"

namespace upwash::conduit {

/// One rank's part. All members tell the same, but for their buffers.
struct network_collective {
  enum class kind : std::uint8_t {
    barrier,
    broadcast,  ///< the root's `from` to everybody's `into`
    reduce,     ///< all `from` combined, in any order, to the `into` of the root, or of all
  };
  kind what = kind::barrier;
  int root = -1;  ///< world rank; of reductions -1: all get the result

  // With `what` its name: not used again before every member has its part done.
  std::uint64_t team = 0;
  std::uint64_t run = 0;
  std::uint64_t step = 0;

  int members = 1;
  int place = 0;                            ///< of the rank, among them
  function_ref<int(int place)> world_rank;  ///< of a member; asked during the call only

  std::span<const std::byte> from;  ///< of one length at all who have one; copied by the call
  std::span<std::byte> into;        ///< the conduit's until it is done
  void (*combine)(const std::byte* left, const std::byte* right, std::byte* into, std::size_t bytes,
                  const void* context) = nullptr;
  const void* context = nullptr;  ///< as long as `into`
};

}  // namespace upwash::conduit
