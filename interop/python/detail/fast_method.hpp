// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Methods as CPython has them itself: what pybind11 does for a call (lists of arguments, look-ups
// of types, overloads) takes longer than a collective of 8 bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "interop/python/detail/python.hpp"
#include "interop/python/detail/reductions.hpp"

namespace upwash::python {

/// A text that is a template's argument.
template <std::size_t Length>
struct literal {
  std::array<char, Length> text{};
  constexpr literal() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): written as a string.
  constexpr literal(const char (&from)[Length]) { std::copy_n(from, Length, text.begin()); }
};

template <std::size_t A, std::size_t B>
[[nodiscard]] constexpr literal<A + B - 1> joined(const literal<A>& first,
                                                  const literal<B>& second) {
  literal<A + B - 1> made;
  std::copy_n(first.text.begin(), A - 1, made.text.begin());
  std::copy_n(second.text.begin(), B, made.text.begin() + A - 1);
  return made;
}

/// Sorts the arguments of a call by `names` into `sorted`, which is as long and null at first.
/// Raises TypeError for those that are too many, unknown or given twice.
void sort_arguments(const char* call, std::span<PyObject* const> given, PyObject* by_name,
                    std::span<const char* const> names, std::span<PyObject*> sorted);

/// What a Python object of a bound class holds; the caller knows its class. Raises TypeError where
/// the object was made without it (`Team.__new__(Team)`).
template <class Held>
[[nodiscard]] Held& held_by(PyObject* object) {
  auto* const instance = reinterpret_cast<py::detail::instance*>(object);
  auto* const held = static_cast<Held*>(instance->get_value_and_holder().value_ptr());
  if (held == nullptr) [[unlikely]]
    throw py::type_error(std::string(Py_TYPE(object)->tp_name) + ": the object is not of a job");
  return *held;
}

/// An argument as a function takes it; null where none is given: then a root is 0, an operator SUM,
/// and all else is missing, which raises TypeError.
template <class Wanted>
struct argument;
template <>
struct argument<py::object> {
  static py::object of(PyObject* given, const char* call, const char* name);
};
template <>
struct argument<int> {
  static int of(PyObject* given, const char* call, const char* name);
};
template <>
struct argument<op> {
  static const op& of(PyObject* given, const char* call, const char* name);
};

/// Raises in Python what is thrown now. Returns null, as functions of CPython do then.
PyObject* raise_current() noexcept;

using fast_function = PyObject*(PyObject* self, PyObject* const* given, Py_ssize_t count,
                                PyObject* by_name);

/// Makes `function` a method of a class. `row` and `text` live as long as the class.
void add_fast_method(py::handle to, PyMethodDef& row, const char* name, fast_function* function,
                     const std::string& text);

}  // namespace upwash::python
