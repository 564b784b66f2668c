// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Neighbours of MPI's topologies as a neighborhood, and which block of MPI's buffers each edge is.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "interop/mpi/detail/mpi.hpp"
#include "upwash/core/team.hpp"
#include "upwash/neighborhood/neighborhood.hpp"

namespace upwash::mpi {

/// Of one communicator at one rank.
class topology {
 public:
  /// Of a communicator whose members are `among`, in its order. Null where it has no topology, or
  /// one that upwash does not take: the same at all members. Collective, blocking.
  [[nodiscard]] static std::unique_ptr<topology> of(MPI_Comm comm, const team& among);

  [[nodiscard]] const neighborhood& neighbors() const noexcept { return neighbors_; }
  /// By edge, its block in the buffer. Neighbours that are MPI_PROC_NULL have a block, but no edge.
  [[nodiscard]] std::span<const int> received_blocks() const noexcept { return in_; }
  [[nodiscard]] std::span<const int> sent_blocks() const noexcept { return out_; }
  /// Whether edges are the blocks of the buffer, one behind the other.
  [[nodiscard]] bool in_order() const noexcept { return in_order_; }
  /// Whether blocks of a call by counts alone are as long everywhere, where they are so at this
  /// rank. MPI promises no more than that both ends of an edge say the same.
  [[nodiscard]] bool one_length() const noexcept { return one_length_; }

 private:
  struct edges;
  topology(const team& among, MPI_Comm comm, edges&& own);

  std::vector<int> in_;
  std::vector<int> out_;
  bool in_order_;
  bool one_length_;
  neighborhood neighbors_;
};

}  // namespace upwash::mpi
