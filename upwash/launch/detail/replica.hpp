// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Keeps the control block of one node in step with those of the others: what its processes publish
// goes out, what processes elsewhere have published comes in. The processes see one block as ever.
#pragma once

#include <cstdint>
#include <optional>

#include "upwash/launch/detail/control_block.hpp"
#include "upwash/launch/detail/frames.hpp"

namespace upwash::launch::detail {

class replica {
 public:
  /// This node has the processes from `first` to before `end`. `block` outlives it.
  replica(const control_block& block, int first, int end)
      : block_(block), first_(first), end_(end) {}

  /// The next exchange, once all processes of this node have published it.
  [[nodiscard]] std::optional<exchange_blobs> published();
  /// An exchange of the whole job. Throws `error` (fault) when it is not the next, or of another
  /// job.
  void take(const exchange_blobs& all);

  /// Processes of this node that have joined the job since the last call.
  [[nodiscard]] int joined() noexcept;
  /// So many others have.
  void others_joined(int count) noexcept;

  /// Whether a rank of this node has hung since the last call.
  [[nodiscard]] bool hung() noexcept;

 private:
  const control_block& block_;
  int first_;
  int end_;
  std::uint32_t sent_ = 0;   ///< exchanges that went out
  std::uint32_t taken_ = 0;  ///< and that came in
  int joined_ = 0;
  std::uint32_t hangs_ = 0;
};

}  // namespace upwash::launch::detail
