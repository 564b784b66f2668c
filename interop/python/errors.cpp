// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/python/detail/errors.hpp"

namespace upwash::python {
namespace {

const char* name_of(error_kind kind) noexcept {
  switch (kind) {
    case error_kind::argument: return "argument";
    case error_kind::configuration: return "configuration";
    case error_kind::environment: return "environment";
    case error_kind::system: return "system";
    case error_kind::fault: return "fault";
  }
  return "fault";
}

py::object exception_of(error_kind kind, const std::string& text) {
  return py::module_::import("upwash.errors").attr("of_kind")(name_of(kind), text);
}

}  // namespace

void raise(error_kind kind, const std::string& text, const py::object& cause) {
  const py::object made = exception_of(kind, text);
  if (cause && !cause.is_none()) made.attr("__cause__") = cause;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  throw py::error_already_set();
}

void translate_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const error& why) {
      const py::object made = exception_of(why.kind(), why.what());
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
    }
  });
}

}  // namespace upwash::python
