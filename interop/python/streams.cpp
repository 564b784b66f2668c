// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/python/detail/streams.hpp"

#include <fmt/format.h>

#include <cstring>

#include "interop/python/detail/buffers.hpp"
#include "interop/python/detail/module.hpp"

namespace upwash::python {
namespace {

struct stream_handle {
  team_handle on;
  std::shared_ptr<open_stream> items;  ///< null: closed
  py::dtype type;

  [[nodiscard]] open_stream& open() const {
    if (items == nullptr) refuse("the stream was closed");
    return *items;
  }
};

/// Records in an array of their own: what arrived is gone when the handler returns.
py::array array_of(const py::dtype& type, std::span<const std::byte> records, std::size_t stride) {
  const std::size_t count = records.size() / stride;
  const auto bytes = static_cast<std::size_t>(type.itemsize());
  py::array made(type, count);
  auto* to = static_cast<std::byte*>(made.mutable_data());
  if (bytes == stride) {
    if (count != 0) std::memcpy(to, records.data(), records.size());
    return made;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to + i * bytes, records.data() + i * stride, bytes);
  }
  return made;
}

/// Calls the program's function where records arrive: in a handler, without Python's lock.
class batch_taker {
 public:
  batch_taker(session& of, py::function by, py::dtype type)
      : of_(&of), parts_(new parts{std::move(by), std::move(type)}, &drop) {}

  void operator()(std::span<const std::byte> records, std::size_t stride) const {
    const with_gil held;
    try {
      parts_->by(array_of(parts_->type, records, stride));
    } catch (py::error_already_set& raised) {
      const py::object value = raised.value();
      if (raised.trace()) PyException_SetTraceback(value.ptr(), raised.trace().ptr());
      of_->set_cause(value);
      const auto type = raised.type().attr("__name__").cast<std::string>();
      throw error(error_kind::fault,
                  fmt::format("{}: {}", type, py::str(value).cast<std::string>()));
    }
  }

 private:
  struct parts {
    py::function by;
    py::dtype type;
  };
  /// The last copy may go anywhere.
  static void drop(parts* what) {
    const with_gil held;
    delete what;
  }

  session* of_;  // which has the stream
  std::shared_ptr<parts> parts_;
};

stream_handle open(const team_handle& on, const py::object& type, py::function by,
                   const stream_options& with) {
  return on.of->named("stream", [&] {
    stream_handle made{on, nullptr, py::dtype::from_args(type)};
    const auto bytes = static_cast<std::size_t>(made.type.itemsize());
    if ((made.type.flags() & 1) != 0)
      refuse("records of Python objects: they have no meaning elsewhere");
    if (bytes == 0 || bytes > most_record_bytes) {
      refuse(fmt::format("records of dtype {} have {} bytes: expected 1 to {}", text_of(made.type),
                         bytes, most_record_bytes));
    }
    const take_records take = batch_taker(*on.of, std::move(by), made.type);
    const call_site site = on.of->place();
    on.of->drive("stream", [&] { made.items = open_records(on.members, bytes, take, with, site); });
    on.of->keep(made.items);
    return made;
  });
}

py::array_t<std::int64_t> destinations_of(const py::object& given, std::size_t count) {
  const py::module_ numpy = py::module_::import("numpy");
  py::object all = numpy.attr("asarray")(given);
  const char kind = py::dtype(all.attr("dtype")).kind();
  if (kind != 'i' && kind != 'u') {
    refuse(fmt::format("destinations have dtype {}: expected integers, ranks of the team",
                       py::str(all.attr("dtype")).cast<std::string>()));
  }
  if (all.attr("ndim").cast<int>() == 0) all = numpy.attr("full")(count, all);
  return numpy.attr("ascontiguousarray")(all, py::dtype::of<std::int64_t>());
}

void push(const stream_handle& to, const py::object& destinations, const py::object& records) {
  to.on.of->named("push", [&] {
    const elements data = values_of(records, to.type, "records");
    const py::array_t<std::int64_t> where = destinations_of(destinations, data.count);
    if (static_cast<std::size_t>(where.size()) != data.count) {
      refuse(fmt::format("{} destinations for {} records", where.size(), data.count));
    }
    const std::span<const std::int64_t> all(where.data(), data.count);
    to.on.of->drive("push", [&] { to.open().push(all, data.data, data.item_bytes); });
  });
}

void finish(const stream_handle& of) {
  of.on.of->named("finish", [&] {
    const call_site site = of.on.of->place();
    of.on.of->drive("finish", [&] { of.open().finish(site); });
  });
}

void close(stream_handle& of) {
  of.on.of->named("close", [&] {
    if (of.items == nullptr) return;
    of.on.of->close(*of.items);
    of.items = nullptr;
  });
}

py::dict statistics(const stream_handle& of) {
  return of.on.of->named("statistics", [&] {
    const stream_statistics all = of.open().statistics();
    using namespace py::literals;
    return py::dict("pushed"_a = all.pushed, "delivered"_a = all.delivered,
                    "forwarded"_a = all.forwarded, "messages"_a = all.messages,
                    "bytes"_a = all.bytes, "buffer_memory"_a = all.buffer_memory);
  });
}

}  // namespace

void add_streams(py::module_& to) {
  py::class_<stream_handle>(
      to, "Stream", "Many small records for many members, which ride together; see upwash.stream.")
      .def("push", &push, py::arg("destinations"), py::arg("records"),
           "Sends record i to member destinations[i], or all to one. Copies the records. May run "
           "`on_batch` of this member meanwhile.")
      .def(
          "flush",
          [](const stream_handle& of) {
            of.on.of->named("flush", [&] { of.on.of->drive("flush", [&] { of.open().flush(); }); });
          },
          "Sends what waits in buffers.")
      .def("finish", &finish,
           "Blocks until everything that anyone has pushed, in `on_batch` too, has been taken. "
           "Collective.")
      .def("close", &close, "Finishes; the stream takes no more records. Collective.")
      .def("statistics", &statistics, "What this member has pushed and sent so far, by name.");
  to.def(
      "stream",
      [](const team_handle& on, const py::object& type, py::function by, int dimensions,
         const py::object& buffer_bytes, bool ordered, bool shared_buffers) {
        stream_options with;
        with.dimensions = dimensions;
        if (!buffer_bytes.is_none()) with.buffer_bytes = buffer_bytes.cast<std::size_t>();
        with.ordered = ordered;
        with.shared_buffers = shared_buffers;
        return open(on, type, std::move(by), with);
      },
      py::arg("team"), py::arg("dtype"), py::arg("on_batch"), py::kw_only(),
      py::arg("dimensions") = 0, py::arg("buffer_bytes") = py::none(), py::arg("ordered") = false,
      py::arg("shared_buffers") = false,
      "Opens a stream of records of `dtype`, up to 256 bytes each. `on_batch(records)` is called "
      "with an array of records that have arrived, in calls of upwash; it may push, and must not "
      "wait. What it raises ends the job. Collective. The options are upwash::stream_options'.");
}

}  // namespace upwash::python
