// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two-sided messages.
#include "upwash/matching/messages.hpp"

#include "interop/python/detail/buffers.hpp"
#include "interop/python/detail/module.hpp"
#include "interop/python/detail/operations.hpp"

namespace upwash::python {
namespace {

/// What the caller gave for a Status, filled in.
void tell(const py::object& where, const status& what) {
  if (!where.is_none()) where.cast<status&>() = what;
}

constexpr matching::item_type pickled_object = [] {
  matching::item_type type = matching::item_type::of_kind(matching::item_kind::pickled, 1);
  type.always_checked = true;
  return type;
}();

/// The type that a message of these elements names, and that a receive into them wants.
matching::item_type type_in_message(const elements& data) {
  using kind = matching::item_kind;
  const py::dtype type = type_of(data);
  const auto typed = [&]() -> matching::item_type {
    const bool native = type.byteorder() == '=' || type.byteorder() == '|';
    switch (native ? type.kind() : '\0') {
      case 'i': return matching::item_type::of_kind(kind::signed_integer, data.item_bytes);
      case 'u': return matching::item_type::of_kind(kind::unsigned_integer, data.item_bytes);
      case 'f': return matching::item_type::of_kind(kind::floating, data.item_bytes);
      case 'b': return matching::item_type::of_kind(kind::boolean, data.item_bytes);
      case 'c': return matching::item_type::of_kind(kind::complex, data.item_bytes);
      default:
        return {.code = matching::code_of_name(text_of(type), matching::foreign_code),
                .bytes = static_cast<std::uint32_t>(data.item_bytes)};
    }
  };
  matching::item_type made = typed();
  made.always_checked = true;
  return made;
}

/// The items of a send: an array's elements, or the bytes of a pickled object.
enum class content : std::uint8_t { elements, pickle };

matching::item_type type_of_content(content what, const elements& data) {
  return what == content::pickle ? pickled_object : type_in_message(data);
}

void send(const team_handle& on, const py::object& from, int destination, int tag,
          matching::mode how, content what) {
  const char* const call = how == matching::mode::standard ? "Send" : "Ssend";
  on.of->named(call, [&] {
    const elements data = read_from(from, "buf");
    const matching::item_type items = type_of_content(what, data);
    const call_site site = on.of->place();
    on.of->drive(call, [&] {
      matching::send(on.members, destination, tag, data.input(), how, items).wait(site);
    });
  });
}

request_handle start_send(const team_handle& on, const py::object& from, int destination, int tag,
                          matching::mode how, content what) {
  const char* const call = how == matching::mode::standard ? "Isend" : "Issend";
  return on.of->named(call, [&] {
    const elements data = read_from(from, "buf");
    const matching::item_type items = type_of_content(what, data);
    return start(*on.of, call, {{data.owner, {}}, {}}, [&] {
      return matching::send(on.members, destination, tag, data.input(), how, items);
    });
  });
}

status receive(const team_handle& on, const py::object& into, int source, int tag,
               const py::object& told) {
  return on.of->named("Recv", [&] {
    const elements data = written_to(into, "buf");
    const matching::item_type items = type_in_message(data);
    const call_site site = on.of->place();
    status what;
    on.of->drive("Recv", [&] {
      what = status_of(matching::receive(on.members, source, tag, data.output(), items).wait(site));
    });
    tell(told, what);
    return what;
  });
}

request_handle start_receive(const team_handle& on, const py::object& into, int source, int tag) {
  return on.of->named("Irecv", [&] {
    const elements data = written_to(into, "buf");
    const matching::item_type items = type_in_message(data);
    return start(*on.of, "Irecv", {{data.owner, {}}, {}},
                 [&] { return matching::receive(on.members, source, tag, data.output(), items); });
  });
}

/// Both at once: what a ring needs.
struct exchange {
  int destination, send_tag, source, receive_tag;
};

status send_receive(const team_handle& on, const py::object& from, const py::object& into,
                    const exchange& with) {
  const elements out = read_from(from, "sendbuf");
  const elements in = written_to(into, "recvbuf");
  const matching::item_type out_items = type_in_message(out);
  const matching::item_type in_items = type_in_message(in);
  const call_site site = on.of->place();
  status what;
  on.of->drive("Sendrecv", [&] {
    auto coming =
        matching::receive(on.members, with.source, with.receive_tag, in.output(), in_items);
    auto going = matching::send(on.members, with.destination, with.send_tag, out.input(),
                                matching::mode::standard, out_items);
    what = status_of(coming.wait(site));
    going.wait(site);
  });
  return what;
}

bool probe(const team_handle& on, int source, int tag, const py::object& told) {
  return on.of->named("Probe", [&] {
    const call_site site = on.of->place();
    status what;
    on.of->drive("Probe", [&] {
      what = status_of(matching::wait_for_message(on.members, source, tag, site));
    });
    tell(told, what);
    return true;
  });
}

bool probe_now(const team_handle& on, int source, int tag, const py::object& told) {
  return on.of->named("Iprobe", [&] {
    std::optional<matching::receipt> found;
    on.of->drive("Iprobe", [&] { found = matching::probe(on.members, source, tag); });
    if (found) tell(told, status_of(*found));
    return found.has_value();
  });
}

/// The next such message as bytes; None where there is none and the call does not wait.
py::object receive_bytes(const team_handle& on, int source, int tag, bool waits,
                         const py::object& told) {
  return on.of->named("recv", [&]() -> py::object {
    const call_site site = on.of->place();
    std::optional<matching::claimed_message> found;
    on.of->drive("recv", [&] {
      if (auto now = matching::claim(on.members, source, tag)) found.emplace(std::move(*now));
      while (waits && !found) {
        static_cast<void>(matching::wait_for_message(on.members, source, tag, site));
        if (auto now = matching::claim(on.members, source, tag)) found.emplace(std::move(*now));
      }
    });
    if (!found) return py::none();
    const matching::receipt what = found->what();
    const py::bytes made(nullptr, what.bytes);
    const std::span<std::byte> into(reinterpret_cast<std::byte*>(PyBytes_AS_STRING(made.ptr())),
                                    what.bytes);
    on.of->drive("recv", [&] {
      static_cast<void>(matching::receive(std::move(*found), into, pickled_object).wait(site));
    });
    tell(told, status_of(what));
    return made;
  });
}

}  // namespace

void add_messages(py::class_<team_handle>& to) {
  const auto data = py::arg("buf");
  const auto dest = py::arg("dest");
  const auto send_tag = py::arg("tag") = 0;
  const auto source = py::arg("source") = matching::any_source;
  const auto tag = py::arg("tag") = matching::any_tag;
  const auto told = py::arg("status") = py::none();
  using matching::mode;
  const auto sends = [](mode how, content items = content::elements) {
    return [=](const team_handle& on, const py::object& from, int to_whom, int with) {
      send(on, from, to_whom, with, how, items);
    };
  };
  const auto starts = [](mode how, content items = content::elements) {
    return [=](const team_handle& on, const py::object& from, int to_whom, int with) {
      return start_send(on, from, to_whom, with, how, items);
    };
  };
  to.def("Send", sends(mode::standard), data, dest, send_tag,
         "Sends `buf` to member `dest`. Blocks until `buf` may be reused.");
  to.def("Ssend", sends(mode::synchronous), data, dest, send_tag,
         "As Send, but blocks until the message is received.");
  to.def("Isend", starts(mode::standard), data, dest, send_tag,
         "Starts a Send; `buf` must not change until the Request is complete.");
  to.def("Issend", starts(mode::synchronous), data, dest, send_tag, "Starts an Ssend.");
  to.def("Recv", &receive, data, source, tag, told,
         "Receives a message of member `source` with `tag` (ANY_SOURCE, ANY_TAG: any) into `buf`, "
         "which may be longer. Blocks. Returns its Status, and fills `status` in. Raises "
         "ArgumentError for a message of another dtype or of an object; `buf` is then unchanged.");
  to.def("Irecv", &start_receive, data, source, tag,
         "Starts a Recv; `buf` is upwash's until the Request is complete.");
  to.def(
      "Sendrecv",
      [](const team_handle& on, const py::object& from, int destination, int out_tag,
         const py::object& into, int from_whom, int in_tag, const py::object& where) {
        return on.of->named("Sendrecv", [&] {
          const status what =
              send_receive(on, from, into, {destination, out_tag, from_whom, in_tag});
          tell(where, what);
          return what;
        });
      },
      py::arg("sendbuf"), dest, py::arg("sendtag") = 0, py::arg("recvbuf") = py::none(), source,
      py::arg("recvtag") = matching::any_tag, told,
      "Sends and receives at once. Blocks until both are done. Returns the Status received.");
  to.def("Probe", &probe, source, tag, told,
         "Blocks until there is such a message to receive; `status` says which.");
  to.def("Iprobe", &probe_now, source, tag, told,
         "Whether there is such a message to receive; `status` says which. Does not block.");
  to.def("_send_pickle", sends(mode::standard, content::pickle), data, dest, send_tag,
         "As Send, of a pickled object, for calls in lower case.");
  to.def("_ssend_pickle", sends(mode::synchronous, content::pickle), data, dest, send_tag,
         "As Ssend, of a pickled object, for calls in lower case.");
  to.def("_isend_pickle", starts(mode::standard, content::pickle), data, dest, send_tag,
         "As Isend, of a pickled object, for calls in lower case.");
  to.def("_recv_bytes", &receive_bytes, source, tag, py::arg("waits"), told,
         "The next such message as bytes, for calls in lower case.");
}

}  // namespace upwash::python
