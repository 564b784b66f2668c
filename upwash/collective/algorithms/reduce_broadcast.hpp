// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the combination of all ranks' vectors, at all ranks. Idea: up a tree to rank 0, combined
// on the way, and down a tree, each of any shape; a segment goes down while the next ones come up.
// Cost: 2(P-1) messages a segment in all, the depths of both trees one behind the other: fit for
// short vectors. The operator need not commute: order is kept. Source: Nishtala et al. 2009.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/tree_broadcast.hpp"
#include "upwash/collective/algorithms/tree_reduce.hpp"

namespace upwash::collective {

class reduce_broadcast {
 public:
  struct parameters {
    model::tree_shape up{};
    model::tree_shape down{};
    std::uint64_t segment_bytes = 0;  ///< as of tree_reduce
  };

  reduce_broadcast(int ranks, int rank, std::uint64_t bytes, std::uint32_t element_bytes,
                   const parameters& chosen, bool in_place);

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept;
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return up_.scratch_bytes(); }
  [[nodiscard]] bool edges_apart() const noexcept { return up_.edges_apart(); }

 private:
  tree_reduce up_;
  tree_broadcast down_;
  bool in_down_ = false;
};

}  // namespace upwash::collective
