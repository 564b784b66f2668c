// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that combine.
#include "interop/python/detail/reductions.hpp"

#include "interop/python/detail/collective_call.hpp"
#include "interop/python/detail/module.hpp"

namespace upwash::python {
namespace {

using collective::kind;

prepared combining(kind of, const combination& how, const elements& in, const elements& out,
                   std::uint64_t bytes, int root = 0) {
  return {.wanted =
              {.what = {.of = of, .bytes = bytes, .element_bytes = how.element_bytes, .root = root},
               .kind_of_reduction = how.name},
          .buffers = {.input = in.input(), .output = out.output(), .combine = how.by},
          .holds = {{in.owner, out.owner}, {}}};
}

/// The result of all, at all.
prepared all_reduce(const team_handle& /*on*/, const py::object& sent, const py::object& received,
                    const op& by) {
  const elements out = written_to(received, "recvbuf");
  const combination how = combination_of(out, by);
  if (is_in_place(sent)) {
    prepared made = combining(kind::all_reduce, how, out, out, out.bytes());
    made.wanted.what.in_place = true;
    made.buffers.input = {};
    return made;
  }
  const elements in = read_from(sent, "sendbuf");
  check_same_type(in, out);
  check_counts(in, out);
  return combining(kind::all_reduce, how, in, out, out.bytes());
}

prepared reduce(const team_handle& on, const py::object& sent, const py::object& received,
                const op& by, int root) {
  const bool takes = on.members.rank() == root;
  if (!takes) {
    const elements in = read_from(sent, "sendbuf");
    return combining(kind::reduce, combination_of(in, by), in, {}, in.bytes(), root);
  }
  const elements out = written_to(received, "recvbuf");
  const elements in = is_in_place(sent) ? copy_of(out, 0, out.count) : read_from(sent, "sendbuf");
  check_same_type(in, out);
  check_counts(in, out);
  prepared made = combining(kind::reduce, combination_of(in, by), in, out, in.bytes(), root);
  return is_in_place(sent) ? copying(std::move(made), out) : std::move(made);
}

prepared scanning(kind of, const py::object& sent, const py::object& received, const op& by) {
  const elements out = written_to(received, "recvbuf");
  const elements in = is_in_place(sent) ? copy_of(out, 0, out.count) : read_from(sent, "sendbuf");
  check_same_type(in, out);
  check_counts(in, out);
  prepared made = combining(of, combination_of(in, by), in, out, in.bytes());
  return is_in_place(sent) ? copying(std::move(made), out) : std::move(made);
}

prepared scan(const team_handle& /*on*/, const py::object& sent, const py::object& received,
              const op& by) {
  return scanning(kind::scan, sent, received, by);
}

prepared exclusive_scan(const team_handle& /*on*/, const py::object& sent,
                        const py::object& received, const op& by) {
  return scanning(kind::exclusive_scan, sent, received, by);
}

prepared reduce_scatter_block(const team_handle& on, const py::object& sent,
                              const py::object& received, const op& by) {
  const auto members = static_cast<std::size_t>(on.members.size());
  elements out = written_to(received, "recvbuf");
  const bool same = is_in_place(sent);
  const elements in = same ? copy_of(out, 0, out.count) : read_from(sent, "sendbuf");
  if (same) out.count /= members;
  check_same_type(in, out);
  check_counts(out, in, members);
  prepared made = combining(kind::reduce_scatter, combination_of(in, by), in, out, out.bytes());
  return same ? copying(std::move(made), out) : std::move(made);
}

}  // namespace

void add_reductions(py::class_<team_handle>& to) {
  define_collective<&all_reduce, "Allreduce", "Iallreduce", "sendbuf", "recvbuf", "op">(
      to,
      "Combines the members' `sendbuf` element by element; all get the result in "
      "`recvbuf`, which has as many elements of the same dtype. `sendbuf` IN_PLACE, "
      "at all members: `recvbuf` is both. Collective.");
  define_collective<&reduce, "Reduce", "Ireduce", "sendbuf", "recvbuf", "op", "root">(
      to,
      "As Allreduce, but only `root` gets the result; elsewhere `recvbuf` may be "
      "None. Collective.");
  define_collective<&scan, "Scan", "Iscan", "sendbuf", "recvbuf", "op">(
      to,
      "Member r gets the combination of `sendbuf` of the members 0 to r. "
      "Collective.");
  define_collective<&exclusive_scan, "Exscan", "Iexscan", "sendbuf", "recvbuf", "op">(
      to,
      "Member r gets the combination of `sendbuf` of the members 0 to r - 1; member "
      "0 keeps what `recvbuf` has. Collective.");
  define_collective<&reduce_scatter_block, "Reduce_scatter_block", "Ireduce_scatter_block",
                    "sendbuf", "recvbuf", "op">(
      to,
      "Member i gets the combination of block i of all `sendbuf`, which have `size` "
      "blocks as long as `recvbuf`. Collective.");
}

}  // namespace upwash::python
