// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// pybind11, and who has Python's lock.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace upwash::python {

namespace py = pybind11;

/// Gives Python's lock on while it lives: other threads run Python meanwhile. Cheaper than
/// pybind11's, which looks for its own bookkeeping.
class without_gil {
 public:
  without_gil() : saved_(PyEval_SaveThread()) {}
  ~without_gil() { PyEval_RestoreThread(saved_); }
  without_gil(const without_gil&) = delete;
  without_gil& operator=(const without_gil&) = delete;

 private:
  PyThreadState* saved_;
};

/// Has Python's lock while it lives, on a thread that Python knows.
class with_gil {
 public:
  with_gil() : before_(PyGILState_Ensure()) {}
  ~with_gil() { PyGILState_Release(before_); }
  with_gil(const with_gil&) = delete;
  with_gil& operator=(const with_gil&) = delete;

 private:
  PyGILState_STATE before_;
};

}  // namespace upwash::python
