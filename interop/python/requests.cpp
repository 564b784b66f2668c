// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "interop/python/detail/module.hpp"
#include "interop/python/detail/operations.hpp"

namespace upwash::python {

bool operation::look() {
  if (auto* plain = std::get_if<request>(&what)) return plain->test();
  if (auto* receive = std::get_if<matching::receiving>(&what)) {
    if (!receive->test()) return false;
    received = status_of(receive->wait());
  }
  return true;
}

void operation::wait_here(const call_site& site) {
  if (auto* plain = std::get_if<request>(&what)) return plain->wait(site);
  if (auto* receive = std::get_if<matching::receiving>(&what)) {
    received = status_of(receive->wait(site));
  }
}

void operation::settle() {
  const auto* plain = std::get_if<request>(&what);
  const bool ready = plain != nullptr ? plain->done() : received.has_value();
  if (complete() || !ready) return;
  what = std::monostate();
  holds = {};
}

void operation::wait() {
  if (complete()) return;
  const call_site site = of->place();
  try {
    of->drive(call, [&] { wait_here(site); });
  } catch (...) {
    // A receive that fails is over, and has left its buffer alone; a collective that fails is not.
    if (what.index() == 2) received = status();
    settle();
    throw;
  }
  settle();
}

bool operation::test() {
  if (complete()) return true;
  of->drive(call, [this] { static_cast<void>(look()); });
  settle();
  return complete();
}

void operation::cancel() {
  if (auto* receive = std::get_if<matching::receiving>(&what)) {
    of->drive("cancel", [&] { static_cast<void>(receive->cancel()); });
  }
}

namespace {

py::object result_of(const operation& one) {
  return one.received ? py::cast(*one.received) : py::object(py::none());
}

std::string text_of(const status& what) {
  return fmt::format("Status(source={}, tag={}, bytes={})", what.source, what.tag, what.bytes);
}

/// Elements of that type, or -1 where they are not whole.
std::int64_t count_of(const status& what, const py::object& type) {
  const auto size = static_cast<std::uint64_t>(py::dtype::from_args(type).itemsize());
  return size != 0 && what.bytes % size == 0 ? static_cast<std::int64_t>(what.bytes / size) : -1;
}

void add_status(py::module_& to) {
  py::class_<status>(to, "Status", "Who sent a message: its source, tag and length in bytes.")
      .def(py::init<>())
      .def_readonly("source", &status::source, "Rank of the sender in the team.")
      .def_readonly("tag", &status::tag, "Tag of the message.")
      .def_readonly("bytes", &status::bytes, "Length of the message in bytes.")
      .def(
          "Get_source", [](const status& s) { return s.source; }, "As `source`.")
      .def(
          "Get_tag", [](const status& s) { return s.tag; }, "As `tag`.")
      .def("Get_count", &count_of, py::arg("dtype") = py::str("u1"),
           "Elements of `dtype` in the message; -1 where it has no whole number of them.")
      .def("_fill", [](status& mine, const status& what) { mine = what; })
      .def("__repr__", &text_of);
}

}  // namespace

void add_requests(py::module_& to) {
  add_status(to);
  py::class_<request_handle>(
      to, "Request",
      "An operation under way. It keeps the buffers of the operation alive, as the job does if "
      "the request is dropped before its end.")
      .def(
          "wait",
          [](const request_handle& one) {
            return one->of->named(one->call, [&] {
              one->wait();
              return result_of(*one);
            });
          },
          "Blocks until the operation is complete; its buffers are the program's again. Returns "
          "the Status of a receive, else None. Raises upwash.Error.")
      .def(
          "test",
          [](const request_handle& one) {
            return one->of->named(one->call, [&] { return one->test(); });
          },
          "Whether the operation is complete. Makes progress; does not block.")
      .def(
          "cancel",
          [](const request_handle& one) { one->of->named("cancel", [&] { one->cancel(); }); },
          "Takes a receive back that has met no message; other operations go on.")
      .def_property_readonly(
          "status", [](const request_handle& one) { return result_of(*one); },
          "The Status of a receive that is complete, else None.")
      .def_property_readonly(
          "done", [](const request_handle& one) { return one->complete(); },
          "Whether it was complete when last looked at. Makes no progress.");
}

}  // namespace upwash::python
