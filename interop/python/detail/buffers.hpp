// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of Python objects as calls see it: numpy arrays and whatever else has a buffer, never
// copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "interop/python/detail/python.hpp"

namespace upwash::python {

/// An argument's elements, one behind the other. Good as long as `owner` is there.
struct elements {
  py::object owner;       ///< an array; a py::array that is empty would be one of numpy's
  const char* name = "";  ///< the argument's, a literal
  std::byte* data = nullptr;
  std::size_t count = 0;
  std::size_t item_bytes = 1;

  [[nodiscard]] std::size_t bytes() const noexcept { return count * item_bytes; }
  [[nodiscard]] std::span<const std::byte> input() const noexcept { return {data, bytes()}; }
  [[nodiscard]] std::span<std::byte> output() const noexcept { return {data, bytes()}; }
};

/// An argument that is read, or written. Throws `error` (argument) for what has no buffer, holds
/// Python objects, is not C-contiguous, or, if it is written, cannot be.
[[nodiscard]] elements read_from(py::handle object, const char* name);
[[nodiscard]] elements written_to(py::handle object, const char* name);
/// The array itself, which may have gaps; throws `error` (argument) where it cannot be written to.
[[nodiscard]] py::array array_written(py::handle object, const char* name);

/// Values to be copied, of `type`: an array has that type already, or is refused; numbers, lists
/// and tuples become one, unless they would lose what is behind the point.
[[nodiscard]] elements values_of(const py::object& given, const py::dtype& type, const char* name);

/// "float64", or the fields of a record.
[[nodiscard]] std::string text_of(const py::dtype& type);
[[nodiscard]] py::dtype type_of(const elements& of);
[[nodiscard]] bool same_type(const elements& a, const elements& b);
/// Throws `error` (argument) that names both where the types differ.
void check_same_type(const elements& a, const elements& b);
/// The same for counts: `times` elements of `b` for each of `a`.
void check_counts(const elements& a, const elements& b, std::size_t times = 1);

[[nodiscard]] bool same_type(const py::dtype& a, const py::dtype& b);

/// The whole number that an index is; throws `error` (argument) for what is none.
[[nodiscard]] std::int64_t index_of(py::handle given, std::string_view name);
/// Whether it is one number, as against several.
[[nodiscard]] bool is_index(py::handle given);

/// A copy of its elements, that belongs to the call.
[[nodiscard]] elements copy_of(const elements& of, std::size_t first, std::size_t count);

}  // namespace upwash::python
