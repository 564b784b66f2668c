// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays as blocks of different lengths.
#pragma once

#include <cstdint>
#include <vector>

#include "interop/python/detail/buffers.hpp"

namespace upwash::python {

/// An array and a block of it for each member, in bytes.
struct divided {
  elements all;
  std::vector<std::uint64_t> bytes, offsets;
};

/// `given`: [array, counts] or [array, counts, places], both in elements; blocks lie one behind the
/// other where no places are given. Throws `error` (argument) for what is neither, for other than
/// `members` blocks, and for those that leave the array.
[[nodiscard]] divided divide(const py::object& given, bool written, const char* name,
                             std::size_t members);

}  // namespace upwash::python
