// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/python/detail/places.hpp"

namespace upwash::python {

call_site places::now() {
  PyFrameObject* const frame = PyEval_GetFrame();  // borrowed
  if (frame == nullptr) return {};
  PyCodeObject* const code = PyFrame_GetCode(frame);
  const auto owner = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(code));
  const int instruction = PyFrame_GetLasti(frame);
  const auto hash =
      (reinterpret_cast<std::uintptr_t>(code) >> 5U) + static_cast<unsigned>(instruction);
  entry& at = known_[hash % known_.size()];
  if (at.code.ptr() != owner.ptr() || at.instruction != instruction) {
    at = {owner, instruction, look_up(frame, code)};
  }
  return at.site;
}

call_site places::look_up(PyFrameObject* frame, PyCodeObject* code) {
  const auto name = py::reinterpret_borrow<py::object>(code->co_filename).cast<std::string>();
  return {files_.insert(name).first->c_str(),
          static_cast<std::uint32_t>(PyFrame_GetLineNumber(frame))};
}

}  // namespace upwash::python
