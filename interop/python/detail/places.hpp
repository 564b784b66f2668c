// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the Python program calls upwash: for reports of jobs that hang, and errors of checked runs.
#pragma once

#include <array>
#include <set>
#include <string>

#include "interop/python/detail/python.hpp"
#include "upwash/base/call_site.hpp"

namespace upwash::python {

/// Keeps what is looked up: the line of a place in the code takes a table to decode. Memory: 256
/// places, and the names of the files.
class places {
 public:
  /// The innermost line of Python that runs. With Python's lock.
  [[nodiscard]] call_site now();

 private:
  struct entry {
    py::object code;  ///< kept: its address is the key
    int instruction = -1;
    call_site site;
  };
  [[nodiscard]] call_site look_up(PyFrameObject* frame, PyCodeObject* code);

  std::array<entry, 256> known_;
  std::set<std::string, std::less<>> files_;
};

}  // namespace upwash::python
