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

void send(const team_handle& on, const py::object& from, int destination, int tag,
          matching::mode how) {
  const char* const call = how == matching::mode::standard ? "Send" : "Ssend";
  on.of->named(call, [&] {
    const elements data = read_from(from, "buf");
    const call_site site = on.of->place();
    on.of->drive(
        call, [&] { matching::send(on.members, destination, tag, data.input(), how).wait(site); });
  });
}

request_handle start_send(const team_handle& on, const py::object& from, int destination, int tag,
                          matching::mode how) {
  const char* const call = how == matching::mode::standard ? "Isend" : "Issend";
  return on.of->named(call, [&] {
    const elements data = read_from(from, "buf");
    return start(*on.of, call, {{data.owner, {}}, {}},
                 [&] { return matching::send(on.members, destination, tag, data.input(), how); });
  });
}

status receive(const team_handle& on, const py::object& into, int source, int tag,
               const py::object& told) {
  return on.of->named("Recv", [&] {
    const elements data = written_to(into, "buf");
    const call_site site = on.of->place();
    status what;
    on.of->drive("Recv", [&] {
      what = status_of(matching::receive(on.members, source, tag, data.output()).wait(site));
    });
    tell(told, what);
    return what;
  });
}

request_handle start_receive(const team_handle& on, const py::object& into, int source, int tag) {
  return on.of->named("Irecv", [&] {
    const elements data = written_to(into, "buf");
    return start(*on.of, "Irecv", {{data.owner, {}}, {}},
                 [&] { return matching::receive(on.members, source, tag, data.output()); });
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
  const call_site site = on.of->place();
  status what;
  on.of->drive("Sendrecv", [&] {
    auto coming = matching::receive(on.members, with.source, with.receive_tag, in.output());
    auto going = matching::send(on.members, with.destination, with.send_tag, out.input());
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
    on.of->drive("recv",
                 [&] { static_cast<void>(matching::receive(std::move(*found), into).wait(site)); });
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
  const auto sends = [](mode how) {
    return [how](const team_handle& on, const py::object& from, int to_whom, int with) {
      send(on, from, to_whom, with, how);
    };
  };
  const auto starts = [](mode how) {
    return [how](const team_handle& on, const py::object& from, int to_whom, int with) {
      return start_send(on, from, to_whom, with, how);
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
         "which may be longer. Blocks. Returns its Status, and fills `status` in.");
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
  to.def("_recv_bytes", &receive_bytes, source, tag, py::arg("waits"), told,
         "The next such message as bytes, for calls in lower case.");
}

}  // namespace upwash::python
