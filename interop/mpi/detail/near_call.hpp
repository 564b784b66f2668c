// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A call among neighbours by bytes, as it goes by upwash's neighborhoods.
#pragma once

#include <cstddef>
#include <span>

#include "interop/mpi/detail/buffers.hpp"
#include "upwash/collective/persistent.hpp"
#include "upwash/core/request.hpp"
#include "upwash/neighborhood/neighborhood.hpp"

namespace upwash::mpi {

struct near_call {
  const neighborhood* among = nullptr;  ///< null: it is none
  bool gathers = false;                 ///< one block for all; else one for each
  /// Of equal blocks, in the order of the edges: else both lists, or the received one, say where
  /// they are.
  bool equal = false;
  std::size_t bytes = 0;  ///< of a block, where they are equal
  std::span<const std::byte> input{};
  std::span<std::byte> output{};
  const block_list* sent = nullptr;
  const block_list* received = nullptr;
};

/// Blocking, collective over the team.
void run(const near_call& what);
/// Nonblocking: blocks go straight, since better ways are agreed upon by waiting.
[[nodiscard]] upwash::request start(const near_call& what);
/// To be started often. Collective over the team, blocking: here members may agree.
[[nodiscard]] collective::persistent prepare(const near_call& what);

}  // namespace upwash::mpi
