// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of equal blocks.
#include "interop/python/detail/collective_call.hpp"
#include "interop/python/detail/module.hpp"

namespace upwash::python {

namespace {

using collective::kind;

/// The type of IN_PLACE.
struct in_place_mark {};

prepared moving(kind of, const elements& in, const elements& out, std::uint64_t bytes,
                int root = 0) {
  return {.wanted = {.what = {.of = of, .bytes = bytes, .root = root}},
          .buffers = {.input = in.input(), .output = out.output()},
          .holds = {{in.owner, out.owner}, {}}};
}

/// One buffer is both at all members.
prepared in_place(prepared made) {
  made.wanted.what.in_place = true;
  made.buffers.input = {};
  return made;
}

std::size_t members_of(const team_handle& on) {
  return static_cast<std::size_t>(on.members.size());
}

prepared barrier(const team_handle& /*on*/) {
  return {.wanted = {.what = {.of = kind::barrier}}, .buffers = {}, .holds = {}};
}

prepared broadcast(const team_handle& on, const py::object& data, int root) {
  const elements all = on.members.rank() == root ? read_from(data, "buf") : written_to(data, "buf");
  return in_place(moving(kind::broadcast, all, all, all.bytes(), root));
}

/// The whole of an array has a block for each member.
void check_blocks(const elements& all, std::size_t members) {
  if (all.count % members == 0) return;
  throw error(error_kind::argument, std::string(all.name) + " has " + std::to_string(all.count) +
                                        " elements, which " + std::to_string(members) +
                                        " members cannot share evenly: give a multiple, or " +
                                        "call the function whose name ends in v");
}

prepared all_gather(const team_handle& on, const py::object& sent, const py::object& received) {
  const elements out = written_to(received, "recvbuf");
  if (is_in_place(sent)) {
    check_blocks(out, members_of(on));
    return in_place(moving(kind::all_gather, out, out, out.bytes() / members_of(on)));
  }
  const elements in = read_from(sent, "sendbuf");
  check_same_type(in, out);
  check_counts(in, out, members_of(on));
  return moving(kind::all_gather, in, out, in.bytes());
}

prepared gather(const team_handle& on, const py::object& sent, const py::object& received,
                int root) {
  if (on.members.rank() != root) {
    const elements in = read_from(sent, "sendbuf");
    return moving(kind::gather, in, {}, in.bytes(), root);
  }
  const elements out = written_to(received, "recvbuf");
  check_blocks(out, members_of(on));
  const std::size_t block = out.count / members_of(on);
  const elements in = is_in_place(sent)
                          ? copy_of(out, block * static_cast<std::size_t>(root), block)
                          : read_from(sent, "sendbuf");
  check_same_type(in, out);
  check_counts(in, out, members_of(on));
  prepared made = moving(kind::gather, in, out, in.bytes(), root);
  if (!is_in_place(sent)) return made;
  return copying(std::move(made), out, block * static_cast<std::size_t>(root));
}

prepared scatter(const team_handle& on, const py::object& sent, const py::object& received,
                 int root) {
  if (on.members.rank() != root) {
    const elements out = written_to(received, "recvbuf");
    return moving(kind::scatter, {}, out, out.bytes(), root);
  }
  const elements in = read_from(sent, "sendbuf");
  check_blocks(in, members_of(on));
  // In place the root's own block stays where it is: what comes for it goes nowhere.
  const elements out = is_in_place(received) ? copy_of(in, 0, in.count / members_of(on))
                                             : written_to(received, "recvbuf");
  check_same_type(in, out);
  check_counts(out, in, members_of(on));
  return moving(kind::scatter, in, out, out.bytes(), root);
}

prepared all_to_all(const team_handle& on, const py::object& sent, const py::object& received) {
  const elements out = written_to(received, "recvbuf");
  check_blocks(out, members_of(on));
  const std::uint64_t block = out.bytes() / members_of(on);
  if (is_in_place(sent)) return in_place(moving(kind::all_to_all, out, out, block));
  const elements in = read_from(sent, "sendbuf");
  check_same_type(in, out);
  check_counts(in, out);
  return moving(kind::all_to_all, in, out, block);
}

}  // namespace

prepared copying(prepared made, const elements& all, std::size_t first) {
  const std::span<const std::byte> copy = made.buffers.input;
  made.before = {const_cast<std::byte*>(copy.data()), all.data + first * all.item_bytes,
                 copy.size()};
  return made;
}

bool is_in_place(py::handle given) {
  return !py::isinstance<py::array>(given) && py::isinstance<in_place_mark>(given);
}

void add_collectives(py::module_& module, py::class_<team_handle>& to) {
  py::class_<in_place_mark>(module, "InPlace", "The type of IN_PLACE.")
      .def("__repr__", [](const in_place_mark&) { return "upwash.IN_PLACE"; });
  module.attr("IN_PLACE") = in_place_mark();

  define_collective<&barrier, "Barrier", "Ibarrier">(
      to, "All members have entered when any leaves. Collective.");
  define_collective<&broadcast, "Bcast", "Ibcast", "buf", "root">(
      to, "`buf` of `root` goes into `buf` of all. Collective.");
  define_collective<&all_gather, "Allgather", "Iallgather", "sendbuf", "recvbuf">(
      to,
      "`sendbuf` of member i becomes block i of `recvbuf` at all. `sendbuf` "
      "IN_PLACE, at all members: the own block lies there already. Collective.");
  define_collective<&gather, "Gather", "Igather", "sendbuf", "recvbuf", "root">(
      to,
      "`sendbuf` of member i becomes block i of `recvbuf` at `root`; elsewhere "
      "`recvbuf` may be None. `sendbuf` may be IN_PLACE at the root. Collective.");
  define_collective<&scatter, "Scatter", "Iscatter", "sendbuf", "recvbuf", "root">(
      to,
      "Block i of `sendbuf` of `root` goes into `recvbuf` of member i; elsewhere "
      "`sendbuf` may be None. `recvbuf` may be IN_PLACE at the root. Collective.");
  define_collective<&all_to_all, "Alltoall", "Ialltoall", "sendbuf", "recvbuf">(
      to,
      "Block i of `sendbuf` of member j becomes block j of `recvbuf` of member i. "
      "`sendbuf` IN_PLACE, at all members: `recvbuf` is both. Collective.");
}

}  // namespace upwash::python
