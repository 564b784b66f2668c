// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/python/detail/fast_method.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>

namespace upwash::python {
namespace {

std::size_t place_of(const char* call, PyObject* name, std::span<const char* const> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (PyUnicode_CompareWithASCIIString(name, names[i]) == 0) return i;
  }
  throw py::type_error(fmt::format("{}: unexpected argument '{}': expected {}", call,
                                   py::str(py::handle(name)).cast<std::string>(),
                                   fmt::join(names, ", ")));
}

}  // namespace

void sort_arguments(const char* call, std::span<PyObject* const> given, PyObject* by_name,
                    std::span<const char* const> names, std::span<PyObject*> sorted) {
  const auto named = static_cast<std::size_t>(by_name == nullptr ? 0 : PyTuple_GET_SIZE(by_name));
  const std::size_t first = given.size() - named;
  if (first > names.size()) {
    throw py::type_error(
        fmt::format("{}: {} arguments are given, {} at most", call, first, names.size()));
  }
  std::copy_n(given.begin(), first, sorted.begin());
  for (std::size_t i = 0; i < named; ++i) {
    PyObject* const name = PyTuple_GET_ITEM(by_name, static_cast<Py_ssize_t>(i));
    PyObject*& into = sorted[place_of(call, name, names)];
    if (into != nullptr) {
      throw py::type_error(fmt::format("{}: argument '{}' is given twice", call,
                                       py::str(py::handle(name)).cast<std::string>()));
    }
    into = given[first + i];
  }
}

py::object argument<py::object>::of(PyObject* given, const char* call, const char* name) {
  if (given == nullptr) throw py::type_error(fmt::format("{}: {} is missing", call, name));
  return py::reinterpret_borrow<py::object>(given);
}

int argument<int>::of(PyObject* given, const char* call, const char* name) {
  if (given == nullptr) return 0;
  const Py_ssize_t value = PyIndex_Check(given) != 0 ? PyNumber_AsSsize_t(given, nullptr) : -1;
  if (PyIndex_Check(given) == 0 || value > INT_MAX || value < INT_MIN) {
    throw py::type_error(fmt::format("{}: {} is {}: expected a rank", call, name,
                                     py::repr(given).cast<std::string>()));
  }
  return static_cast<int>(value);
}

const op& argument<op>::of(PyObject* given, const char* call, const char* name) {
  static constexpr op usual{op_kind::sum, "SUM"};
  if (given == nullptr) return usual;
  if (!py::isinstance<op>(given)) {
    throw py::type_error(fmt::format("{}: {} is {}: expected an upwash.Op, as upwash.SUM", call,
                                     name, py::repr(given).cast<std::string>()));
  }
  return held_by<op>(given);
}

PyObject* raise_current() noexcept {
  try {
    throw;
  } catch (py::error_already_set& raised) {
    raised.restore();
  } catch (const py::builtin_exception& wrong) {
    wrong.set_error();
  } catch (const std::exception& wrong) {
    PyErr_SetString(PyExc_RuntimeError, wrong.what());
  }
  return nullptr;
}

void add_fast_method(py::handle to, PyMethodDef& row, const char* name, fast_function* function,
                     const std::string& text) {
  row = {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
         METH_FASTCALL | METH_KEYWORDS, text.c_str()};
  const auto made = py::reinterpret_steal<py::object>(
      PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(to.ptr()), &row));
  if (!made) throw py::error_already_set();
  to.attr(name) = made;
}

}  // namespace upwash::python
