// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/types.hpp"

#include <memory>
#include <vector>

namespace upwash::mpi {
namespace {

extern "C" {

int keep_type_facts_here(MPI_Datatype, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

int forget_type_facts(MPI_Datatype, int, void* facts, void*) {
  delete static_cast<type_facts*>(facts);  // NOLINT: made by find_derived
  return MPI_SUCCESS;
}

}  // extern "C"

template <class Number>
constexpr element integer_of() {
  constexpr bool is_signed = std::is_signed_v<Number>;
  switch (sizeof(Number)) {
    case 1: return is_signed ? element::i8 : element::u8;
    case 2: return is_signed ? element::i16 : element::u16;
    case 4: return is_signed ? element::i32 : element::u32;
    default: return is_signed ? element::i64 : element::u64;
  }
}

}  // namespace

void type_book::add(MPI_Datatype type, element is) {
  if (type == MPI_DATATYPE_NULL) return;  // a Fortran type that this library was built without
  int bytes = 0;
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  if (PMPI_Type_size(type, &bytes) != MPI_SUCCESS || bytes <= 0) return;
  PMPI_Type_get_extent(type, &lower, &extent);
  std::size_t at = hash(type);
  while (known_[at].used) {
    if (known_[at].key == word_of(type)) return;
    at = (at + 1) % slots;
  }
  known_[at] = {word_of(type),
                true,
                {static_cast<std::uint64_t>(bytes), extent, lower == 0 && extent == bytes, is}};
}

type_book::type_book() {
  add(MPI_CHAR, element::none);
  add(MPI_SIGNED_CHAR, element::i8);
  add(MPI_UNSIGNED_CHAR, element::u8);
  add(MPI_SHORT, element::i16);
  add(MPI_UNSIGNED_SHORT, element::u16);
  add(MPI_INT, element::i32);
  add(MPI_UNSIGNED, element::u32);
  add(MPI_LONG, integer_of<long>());
  add(MPI_UNSIGNED_LONG, integer_of<unsigned long>());
  add(MPI_LONG_LONG_INT, element::i64);
  add(MPI_UNSIGNED_LONG_LONG, element::u64);
  add(MPI_FLOAT, element::f32);
  add(MPI_DOUBLE, element::f64);
  add(MPI_LONG_DOUBLE, element::f80);
  add(MPI_WCHAR, element::none);
  add(MPI_C_BOOL, element::truth8);
  add(MPI_INT8_T, element::i8);
  add(MPI_UINT8_T, element::u8);
  add(MPI_INT16_T, element::i16);
  add(MPI_UINT16_T, element::u16);
  add(MPI_INT32_T, element::i32);
  add(MPI_UINT32_T, element::u32);
  add(MPI_INT64_T, element::i64);
  add(MPI_UINT64_T, element::u64);
  add(MPI_AINT, integer_of<MPI_Aint>());
  add(MPI_OFFSET, integer_of<MPI_Offset>());
  add(MPI_COUNT, integer_of<MPI_Count>());
  add(MPI_C_FLOAT_COMPLEX, element::complex_f32);
  add(MPI_C_DOUBLE_COMPLEX, element::complex_f64);
  add(MPI_C_LONG_DOUBLE_COMPLEX, element::complex_f80);
  add(MPI_BYTE, element::bits8);
  add(MPI_PACKED, element::none);
  add(MPI_FLOAT_INT, element::f32_int);
  add(MPI_DOUBLE_INT, element::f64_int);
  add(MPI_LONG_DOUBLE_INT, element::f80_int);
  add(MPI_LONG_INT, element::long_int);
  add(MPI_SHORT_INT, element::short_int);
  add(MPI_2INT, element::int_int);
  add(MPI_INTEGER, element::i32);
  add(MPI_REAL, element::f32);
  add(MPI_DOUBLE_PRECISION, element::f64);
  add(MPI_COMPLEX, element::complex_f32);
  add(MPI_DOUBLE_COMPLEX, element::complex_f64);
  add(MPI_LOGICAL, element::truth32);
  add(MPI_CHARACTER, element::none);
  add(MPI_INTEGER1, element::i8);
  add(MPI_INTEGER2, element::i16);
  add(MPI_INTEGER4, element::i32);
  add(MPI_INTEGER8, element::i64);
  add(MPI_REAL4, element::f32);
  add(MPI_REAL8, element::f64);
  add(MPI_2INTEGER, element::int_int);
  add(MPI_2REAL, element::f32_f32);
  add(MPI_2DOUBLE_PRECISION, element::f64_f64);
  PMPI_Type_create_keyval(&keep_type_facts_here, &forget_type_facts, &keyval_, nullptr);
}

type_book::~type_book() { PMPI_Type_free_keyval(&keyval_); }

const type_facts* type_book::find_derived(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return nullptr;
  void* kept = nullptr;
  int found = 0;
  PMPI_Type_get_attr(type, keyval_, &kept, &found);
  if (found != 0) return static_cast<const type_facts*>(kept);
  MPI_Count bytes = 0;
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_size_x(type, &bytes);
  PMPI_Type_get_extent(type, &lower, &extent);
  auto facts = std::make_unique<type_facts>(
      type_facts{static_cast<std::uint64_t>(bytes), extent, is_dense(type), element::none});
  if (PMPI_Type_set_attr(type, keyval_, facts.get()) != MPI_SUCCESS) return nullptr;
  return facts.release();
}

/// False also where the type's makings do not say so at once: packing is right for all.
bool type_book::is_dense(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) {
    int bytes = 0;
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    PMPI_Type_size(type, &bytes);
    PMPI_Type_get_extent(type, &lower, &extent);
    return lower == 0 && extent == bytes;
  }
  if (types != 1) return false;
  std::vector<int> n(static_cast<std::size_t>(integers) + 1);
  std::vector<MPI_Aint> a(static_cast<std::size_t>(addresses) + 1);
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  PMPI_Type_get_contents(type, integers, addresses, types, n.data(), a.data(), &inner);
  MPI_Count bytes = 0;
  PMPI_Type_size_x(inner, &bytes);
  const bool inner_dense = is_dense(inner);
  int of_inner = 0;
  PMPI_Type_get_envelope(inner, &integers, &addresses, &types, &of_inner);
  if (of_inner != MPI_COMBINER_NAMED) PMPI_Type_free(&inner);
  if (!inner_dense) return false;
  switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_CONTIGUOUS: return true;
    case MPI_COMBINER_VECTOR: return n[0] == 1 || n[1] == n[2];
    case MPI_COMBINER_HVECTOR: return n[0] == 1 || a[0] == n[1] * bytes;
    case MPI_COMBINER_RESIZED: return a[0] == 0 && a[1] == bytes;
    default: return false;
  }
}

}  // namespace upwash::mpi
