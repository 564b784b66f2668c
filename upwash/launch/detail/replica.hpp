// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Keeps the control blocks of all nodes in step: sends the data that this node's processes publish,
// and enters the data published elsewhere. The processes see one block as usual.
#pragma once

#include <cstdint>
#include <optional>

#include "upwash/launch/detail/control_block.hpp"
#include "upwash/launch/detail/frames.hpp"

namespace upwash::launch::detail {

class replica {
 public:
  /// This node has the processes from `first` to before `end`. `block` must outlive this object.
  replica(const control_block& block, int first, int end)
      : block_(block), first_(first), end_(end) {}

  /// Returns the next exchange, once all processes of this node have published it.
  [[nodiscard]] std::optional<exchange_blobs> published();
  /// Enters an exchange of the whole job. Throws `error` (fault) if it is not the next, or belongs
  /// to another job.
  void take(const exchange_blobs& all);

  /// Returns the number of processes of this node that have joined the job since the last call.
  [[nodiscard]] int joined() noexcept;
  /// Notes that `count` processes of other nodes have joined.
  void others_joined(int count) noexcept;

  /// Returns whether a rank of this node has hung since the last call.
  [[nodiscard]] bool hung() noexcept;

 private:
  const control_block& block_;
  int first_;
  int end_;
  std::uint32_t sent_ = 0;   ///< exchanges sent
  std::uint32_t taken_ = 0;  ///< exchanges entered
  int joined_ = 0;
  std::uint32_t hangs_ = 0;
};

}  // namespace upwash::launch::detail
