// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operators on types that are known at run time.
#pragma once

#include <cstdint>

#include "interop/python/detail/buffers.hpp"
#include "upwash/collective/binding.hpp"

namespace upwash::python {

enum class op_kind : std::uint8_t {
  sum,
  product,
  least,
  most,
  bit_and,
  bit_or,
  bit_xor,
  logical_and,
  logical_or,
  logical_xor
};

/// An Op of Python.
struct op {
  op_kind kind;
  const char* name;
};

struct combination {
  collective::reduction by;
  std::uint32_t element_bytes;
  std::uint64_t name;  ///< of type and operator, for checked runs
};

/// Throws `error` (argument) that names operator and type where they do not go together.
[[nodiscard]] combination combination_of(const elements& what, const op& by);

}  // namespace upwash::python
