// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/python/detail/buffers.hpp"

#include <fmt/format.h>

#include "interop/python/detail/errors.hpp"

namespace upwash::python {
namespace {

using api = py::detail::npy_api;

std::string name_of_type(py::handle object) {
  return py::str(py::type::of(object).attr("__name__")).cast<std::string>();
}

py::array array_of(py::handle object, const char* name) {
  if (py::isinstance<py::array>(object)) return py::reinterpret_borrow<py::array>(object);
  if (PyObject_CheckBuffer(object.ptr()) == 0) {
    refuse(
        fmt::format("{} is of type {}, which has no buffer: give a numpy array, or call the "
                    "function in lower case, which sends any object",
                    name, name_of_type(object)));
  }
  // As it lies there: numpy takes bytes for text, of which it makes a copy.
  return py::module_::import("numpy").attr("asarray")(
      py::reinterpret_steal<py::object>(PyMemoryView_FromObject(object.ptr())));
}

elements seen(py::array array, const char* name) {
  const int flags = array.flags();
  const py::dtype type = array.dtype();
  constexpr int has_object = 1;  // numpy's NPY_ITEM_HASOBJECT
  if ((type.flags() & has_object) != 0) {
    refuse(
        fmt::format("{} is an array of Python objects, whose addresses mean nothing elsewhere: "
                    "call the function in lower case, which sends any object",
                    name));
  }
  if ((flags & api::NPY_ARRAY_C_CONTIGUOUS_) == 0) {
    std::string strides;
    for (py::ssize_t i = 0; i < array.ndim(); ++i) {
      strides += fmt::format("{}{}", i == 0 ? "" : ", ", array.strides(i));
    }
    refuse(
        fmt::format("{} is not C-contiguous (strides {}): give numpy.ascontiguousarray of it, "
                    "or an array of its own",
                    name, strides));
  }
  elements made;
  made.name = name;
  made.data = static_cast<std::byte*>(const_cast<void*>(array.data()));
  made.count = static_cast<std::size_t>(array.size());
  made.item_bytes = static_cast<std::size_t>(type.itemsize());
  made.owner = std::move(array);
  return made;
}

/// Numbers, lists and tuples as an array of `type`.
py::object converted(const py::module_& numpy, const py::object& given, const py::dtype& type,
                     const char* name) {
  const py::array natural = numpy.attr("asarray")(given);
  if (natural.size() == 0) return natural.attr("astype")(type);
  const char wanted = type.kind();
  const char seen_kind = natural.dtype().kind();
  const bool whole = wanted == 'i' || wanted == 'u' || wanted == 'b';
  if (whole && (seen_kind == 'f' || seen_kind == 'c')) {
    refuse(fmt::format("{} has numbers with a point, and dtype {} has none", name, text_of(type)));
  }
  if (wanted != 'i' && wanted != 'u') return numpy.attr("asarray")(given, type);
  py::object made = natural.attr("astype")(type);
  if (!numpy.attr("array_equal")(made, natural).cast<bool>()) {
    refuse(fmt::format("{} has numbers that dtype {} does not hold", name, text_of(type)));
  }
  return made;
}

}  // namespace

elements read_from(py::handle object, const char* name) {
  return seen(array_of(object, name), name);
}

py::array array_written(py::handle object, const char* name) {
  py::array array = array_of(object, name);
  if (!array.writeable()) {
    refuse(fmt::format("{} is read-only, and is to be written to: give a copy of it", name));
  }
  return array;
}

elements written_to(py::handle object, const char* name) {
  return seen(array_written(object, name), name);
}

std::string text_of(const py::dtype& type) { return type.attr("__str__")().cast<std::string>(); }

py::dtype type_of(const elements& of) {
  return py::reinterpret_borrow<py::array>(of.owner).dtype();
}

bool same_type(const py::dtype& a, const py::dtype& b) {
  return a.is(b) || api::get().PyArray_EquivTypes_(a.ptr(), b.ptr());
}
bool same_type(const elements& a, const elements& b) { return same_type(type_of(a), type_of(b)); }

bool is_index(py::handle given) { return PyIndex_Check(given.ptr()) != 0; }

std::int64_t index_of(py::handle given, std::string_view name) {
  if (!is_index(given)) {
    refuse(fmt::format("{} is of type {}: expected a whole number", name, name_of_type(given)));
  }
  const Py_ssize_t value = PyNumber_AsSsize_t(given.ptr(), PyExc_OverflowError);
  if (value != -1 || PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();
  refuse(
      fmt::format("{} is {}: more than 64 bits hold", name, py::repr(given).cast<std::string>()));
}

elements values_of(const py::object& given, const py::dtype& type, const char* name) {
  const py::module_ numpy = py::module_::import("numpy");
  if (py::isinstance<py::array>(given) && py::reinterpret_borrow<py::array>(given).ndim() > 0) {
    const py::array array = numpy.attr("ascontiguousarray")(given);
    if (!same_type(array.dtype(), type)) {
      refuse(fmt::format("{} has dtype {}, and {} is wanted: give {}.astype({})", name,
                         text_of(array.dtype()), text_of(type), name, text_of(type)));
    }
    return read_from(array, name);
  }
  try {
    return read_from(converted(numpy, given, type, name), name);
  } catch (const py::error_already_set& raised) {
    refuse(fmt::format("{} is no array of dtype {}: {}", name, text_of(type),
                       py::str(raised.value()).cast<std::string>()));
  }
}

void check_same_type(const elements& a, const elements& b) {
  if (same_type(a, b)) return;
  refuse(fmt::format("{} has dtype {}, and {} has dtype {}: they must be the same", a.name,
                     text_of(type_of(a)), b.name, text_of(type_of(b))));
}

void check_counts(const elements& a, const elements& b, std::size_t times) {
  if (a.count * times == b.count) return;
  refuse(fmt::format("{} has {} elements, so {} should have {}; it has {}", a.name, a.count, b.name,
                     a.count * times, b.count));
}

elements copy_of(const elements& of, std::size_t first, std::size_t count) {
  const py::array flat = of.owner.attr("reshape")(-1);
  const py::slice part(static_cast<py::ssize_t>(first), static_cast<py::ssize_t>(first + count), 1);
  return seen(py::array(flat[part].attr("copy")()), of.name);
}

}  // namespace upwash::python
