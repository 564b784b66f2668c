// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The product by rows (Ghazimirsaeed 2019, section 7.6.3): each rank owns a block of rows of A, B
// and C and gathers blocks of rows of B, all of them or those that its rows of A name.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "apps/common/block_exchange.hpp"
#include "apps/common/csr.hpp"
#include "upwash/core/job.hpp"

namespace spmm {

/// What A is multiplied with.
struct right_side {
  bool sparse = false;  ///< A itself, which is square; else a dense block drawn from a fixed seed
  int columns = 16;     ///< of the dense block
  bool by_column = false;  ///< each column of the dense block in a step of its own
};

/// One rank's product with one way of exchange, in steps that all ranks go through together.
class product {
 public:
  virtual ~product() = default;
  product() = default;
  product(product&&) = delete;

  [[nodiscard]] virtual const apps::block_exchange& exchange() const = 0;
  [[nodiscard]] virtual int steps() const = 0;
  /// Brings what the step needs of B. Collective, blocking.
  virtual void gather(int step) = 0;
  /// This rank's rows of the step's part of C.
  virtual void multiply(int step) = 0;
  /// Entries of C, after all steps, that are not those of the serial product.
  [[nodiscard]] virtual std::uint64_t differences() const = 0;
};

/// `exchange`: as apps::block_exchange takes it, with its errors. The matrix is there as long as
/// the product. Collective, blocking. Memory at a rank: the blocks of B that come, each as the
/// longest.
[[nodiscard]] std::unique_ptr<product> make_product(upwash::job& here,
                                                    const sparse::coordinate_matrix& matrix,
                                                    const right_side& with,
                                                    std::string_view exchange);

}  // namespace spmm
