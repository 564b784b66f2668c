// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// upwash's errors as exceptions of Python (upwash/errors.py).
#pragma once

#include <string>

#include "interop/python/detail/python.hpp"
#include "upwash/base/error.hpp"

namespace upwash::python {

[[noreturn]] inline void refuse(const std::string& what) {
  throw error(error_kind::argument, what);
}

/// Raises it with this text, because of `cause` unless that is None. With Python's lock.
[[noreturn]] void raise(error_kind kind, const std::string& text, const py::object& cause);

/// Errors that pass a bound function unseen become exceptions, too.
void translate_errors();

}  // namespace upwash::python
