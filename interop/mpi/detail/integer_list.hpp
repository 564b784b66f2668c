// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counts and places that a program lists: as int, or, in MPI 4's functions of large counts, as
// MPI_Count and MPI_Aint.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace upwash::mpi {

/// Refers to the program's array, whose length it does not know. May be null.
class integer_list {
 public:
  template <std::signed_integral Number>
  integer_list(const Number* first) noexcept  // NOLINT: any of them is one
      : first_(first), is_wide_(sizeof(Number) == sizeof(std::int64_t)) {
    static_assert(sizeof(Number) == sizeof(int) || sizeof(Number) == sizeof(std::int64_t));
  }

  [[nodiscard]] bool is_null() const noexcept { return first_ == nullptr; }
  template <std::integral Index>
  [[nodiscard]] std::int64_t operator[](Index at) const noexcept {
    const auto i = static_cast<std::ptrdiff_t>(at);
    // Wide ones are long or long long: the same to memory, not to the compiler.
    if (is_wide_) {
      std::int64_t number = 0;
      __builtin_memcpy(&number, static_cast<const char*>(first_) + 8 * i, sizeof number);
      return number;
    }
    return static_cast<const int*>(first_)[i];
  }

 private:
  const void* first_;
  bool is_wide_;
};

}  // namespace upwash::mpi
