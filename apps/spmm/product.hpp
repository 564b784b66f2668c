// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The product by rows (Ghazimirsaeed 2019, section 7.6.3): each rank owns a block of rows of A, B
// and C and gathers the rows of B. In this form every rank puts its block of B to all others.
#pragma once

#include <cstdint>

#include "apps/common/csr.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"

namespace spmm {

/// What one rank saw of one product.
struct outcome {
  upwash::duration gather;    ///< from the barrier before to the end of the all-gather here
  upwash::duration multiply;  ///< this rank's rows
  std::uint64_t wrong = 0;    ///< entries that differ from the serial product; 0 without check
};

/// A times a dense block of `columns` columns, with values drawn from a fixed seed. Collective;
/// repeated `repeats` times, the outcome with the median time is returned. Memory at each rank:
/// the whole of B.
[[nodiscard]] outcome product_with_dense(upwash::job& here, const sparse::coordinate_matrix& matrix,
                                         int columns, int repeats, bool check);

/// A times itself, as sparse matrices. A is square. Otherwise as above.
[[nodiscard]] outcome product_with_sparse(upwash::job& here,
                                          const sparse::coordinate_matrix& matrix, int repeats,
                                          bool check);

}  // namespace spmm
