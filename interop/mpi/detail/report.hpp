// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the program has called, what became of it, and how long it took: of all ranks, at the end.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "interop/mpi/detail/counts.hpp"
#include "upwash/base/duration.hpp"

namespace upwash::mpi {

/// Calls of one function with messages of one size class, and their time at this rank.
struct calls_of_size {
  std::uint64_t bytes = 0;  ///< of all of them
  std::uint64_t ours = 0;
  std::uint64_t theirs = 0;
  duration our_time;
  duration their_time;
  std::string algorithm;  ///< that upwash chose for the last of them
};

/// Of this process. A class is a number of bits of the size: 0, 1, 2 to 3, 4 to 7, ...
class measurements {
 public:
  [[nodiscard]] calls_of_size& of(function which, std::uint64_t bytes);
  [[nodiscard]] const std::map<std::pair<int, int>, calls_of_size>& all() const noexcept {
    return all_;
  }

 private:
  std::map<std::pair<int, int>, calls_of_size> all_;
};

/// Before MPI_Finalize: rank 0 of the world writes it (`where` as the knob report). Collective over
/// MPI_COMM_WORLD, blocking. `measured` may be null.
void write_report(const std::string& where, const measurements* measured);

}  // namespace upwash::mpi
