// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What upwash and the MPI library make of one call: in checked runs those that are sampled go to
// both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "interop/mpi/detail/buffers.hpp"
#include "interop/mpi/detail/traffic.hpp"

namespace upwash::mpi {

/// Of one rank. Memory: twice what the call writes here.
class comparison {
 public:
  /// `all` is described, and has not run. Keeps what its results will lie over.
  comparison(const traffic& all, int rank);
  comparison(const comparison&) = delete;
  comparison& operator=(const comparison&) = delete;

  /// Upwash's results are where the program wants them. They are kept, and what they lie over is
  /// there again.
  void put_back();
  /// The library's are there. Throws `error` (fault) at the first byte that differs.
  void check() const;

  /// Of the call's size class.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct result {
    elements where;
    std::vector<std::byte> before;
    std::vector<std::byte> ours;
  };
  std::vector<result> results_;
  std::uint64_t bytes_;
  bool is_told_;  ///< by MPI: not what the first rank of an exclusive scan gets
};

}  // namespace upwash::mpi
