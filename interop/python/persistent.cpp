// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/python/detail/persistent.hpp"

#include <fmt/format.h>

#include <cstring>

#include "interop/python/detail/module.hpp"

namespace upwash::python {

collective::persistent& persistent_handle::ready() const {
  if (!part_) refuse("it was freed: prepare it again");
  static_cast<void>(of_->here());
  const std::shared_ptr<operation> last = last_.lock();
  if (last && !last->test()) refuse("the start before is not complete: wait for it");
  const fresh_copy& before = part_->before;
  if (before.bytes != 0) std::memcpy(before.to, before.from, before.bytes);
  return *part_->inner;
}

request_handle persistent_handle::start() const {
  collective::persistent& inner = ready();
  kept holds{};
  holds.started = part_;
  request_handle made = python::start(*of_, call_, std::move(holds), [&] { return inner.start(); });
  last_ = made->weak_from_this();
  return made;
}

void persistent_handle::run() const {
  collective::persistent& inner = ready();
  of_->drive(call_, [&] { inner.run(); });
}

void add_persistent(py::module_& to) {
  py::class_<persistent_handle>(
      to, "Persistent",
      "A collective that was set up by a method that ends in _init, to be started often, by all "
      "members in one order. It keeps its buffers, which stay where they are: their contents may "
      "change between starts.")
      .def(
          "start",
          [](const persistent_handle& one) {
            return one.of().named(one.call(), [&] { return one.start(); });
          },
          "Starts it, and returns a Request; the start before is complete. Collective.")
      .def(
          "run",
          [](const persistent_handle& one) { one.of().named(one.call(), [&] { one.run(); }); },
          "Starts it and blocks until it is complete. Other members may `start` it. Collective.")
      .def(
          "free", [](persistent_handle& one) { one.free(); },
          "Gives it back; the same happens when it is forgotten. Not collective. A start under way "
          "goes on.")
      .def("__repr__",
           [](const persistent_handle& one) { return fmt::format("Persistent({})", one.call()); });
}

}  // namespace upwash::python
