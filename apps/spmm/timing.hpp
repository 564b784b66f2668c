// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The same product by several exchanges in turn, and what each took.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/spmm/product.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"

namespace spmm {

/// What one exchange's products took, turn by turn: the sum over the steps of the slowest rank's
/// time in each. The same at all ranks.
struct taken {
  upwash::duration first;                ///< the product made, with its first exchange
  std::vector<upwash::duration> gather;  ///< from a barrier to the end of the exchange
  std::vector<upwash::duration> multiply;
};

/// A product that is made, and what came of it.
struct timed_product {
  std::unique_ptr<product> is;
  taken took;
};

/// Makes a product by each exchange. Collective, blocking; errors as make_product.
[[nodiscard]] std::vector<timed_product> make_products(upwash::job& here,
                                                       const sparse::coordinate_matrix& matrix,
                                                       const right_side& with,
                                                       std::span<const std::string> exchanges);

/// Runs all products `repeats` times, in turn: A B C A B C. Collective, blocking.
void run_in_turn(upwash::job& here, std::span<timed_product> all, int repeats);

}  // namespace spmm
