// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Datatypes: how long an element is on its way, and whether it lies in memory so. What travels is
// the elements one behind the other, as MPI_Pack lays them out. So a rank with a derived type and
// one with a predefined type of the same signature send and take the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {

/// What numbers an element is made of, for operators.
enum class element : std::uint8_t {
  none,  ///< nothing that operators combine
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f32,
  f64,
  f80,
  complex_f32,
  complex_f64,
  complex_f80,
  truth8,   ///< bool
  truth32,  ///< Fortran's LOGICAL
  bits8,    ///< MPI_BYTE
  f32_int,  ///< a value and its place
  f64_int,
  f80_int,
  long_int,
  short_int,
  int_int,
  f32_f32,
  f64_f64,
};
inline constexpr int number_of_elements = 26;

struct type_facts {
  std::uint64_t bytes = 0;  ///< of an element on its way
  MPI_Aint extent = 0;      ///< from one element to the next in memory
  bool dense = false;       ///< elements lie in memory as they travel
  element is = element::none;
};

/// Of one process. Memory: 8 KiB, and 40 bytes for each derived type in use.
class type_book {
 public:
  /// After MPI_Init.
  type_book();
  type_book(const type_book&) = delete;
  type_book& operator=(const type_book&) = delete;
  /// Before MPI_Finalize.
  ~type_book();

  /// Of a type that is committed; null for MPI_DATATYPE_NULL. O(1), of derived types with a look at
  /// an attribute. Kept until the type is freed.
  [[nodiscard]] const type_facts* find(MPI_Datatype type) {
    for (std::size_t at = hash(type);; at = (at + 1) % slots) {
      if (known_[at].key == word_of(type) && known_[at].used) return &known_[at].facts;
      if (!known_[at].used) return find_derived(type);
    }
  }

 private:
  struct entry {
    std::uintptr_t key = 0;
    bool used = false;
    type_facts facts;
  };
  static constexpr std::size_t slots = 256;

  [[nodiscard]] static std::size_t hash(MPI_Datatype type) noexcept {
    return (word_of(type) * 0x9e3779b97f4a7c15U >> 32U) % slots;
  }
  void add(MPI_Datatype type, element is);
  [[nodiscard]] const type_facts* find_derived(MPI_Datatype type);
  [[nodiscard]] bool is_dense(MPI_Datatype type);

  std::array<entry, slots> known_{};
  int keyval_ = MPI_KEYVAL_INVALID;
};

}  // namespace upwash::mpi
