// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the blocks of a vector, or of the rows of B, come to the ranks whose rows of A name them: all
// of them by the ordinary all-gather, or those that are named by the one of neighbours.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/common/csr.hpp"
#include "upwash/core/job.hpp"
#include "upwash/neighborhood/neighborhood.hpp"

namespace apps {

class block_exchange {
 public:
  /// The text that means the ordinary collective; any other names a scheme.
  static constexpr std::string_view ordinary = "all_gather";

  /// `rows` are this rank's of a matrix whose columns lie in blocks over the ranks, its own block
  /// among them where its rows name it. Collective, blocking: a scheme makes its plan here. Throws
  /// `error` (argument) at all ranks for a scheme that is unknown, or that needs a grid.
  block_exchange(upwash::job& here, const sparse::csr_matrix& rows, std::string_view by);

  [[nodiscard]] const std::string& by() const noexcept { return by_; }
  /// Whose blocks come, ascending.
  [[nodiscard]] std::span<const int> owners() const noexcept { return owners_; }

  /// `mine` of each owner to `all`, one behind the other; as many bytes everywhere. Collective,
  /// blocking.
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) const;

 private:
  upwash::team world_;
  std::string by_;
  std::vector<int> owners_;
  std::optional<upwash::neighborhood> near_;  ///< none: the ordinary collective
};

}  // namespace apps
