// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of blocks whose lengths differ.
#include <fmt/format.h>

#include <numeric>

#include "interop/python/detail/blocks.hpp"
#include "interop/python/detail/collective_call.hpp"
#include "interop/python/detail/module.hpp"
#include "interop/python/detail/reductions.hpp"

namespace upwash::python {
namespace {

using collective::kind;

std::size_t members_of(const team_handle& on) {
  return static_cast<std::size_t>(on.members.size());
}

/// For choosing: the same at all members where they have the same blocks.
std::uint64_t mean_of(const divided& of) {
  const auto total = std::accumulate(of.bytes.begin(), of.bytes.end(), std::uint64_t{0});
  return (total + of.bytes.size() - 1) / of.bytes.size();
}

/// A member's own block has the length that the lengths of all say.
void check_own(const team_handle& on, const divided& all, const elements& own) {
  check_same_type(own, all.all);
  const auto rank = static_cast<std::size_t>(on.members.rank());
  if (all.bytes[rank] == own.bytes()) return;
  refuse(fmt::format("{} has {} elements, but counts[{}] of {}, for this member, is {}", own.name,
                     own.count, rank, all.all.name, all.bytes[rank] / own.item_bytes));
}

prepared moving(kind of, std::uint64_t mean, int root, const elements& in, const elements& out) {
  return {.wanted = {.what = {.of = of, .bytes = mean, .root = root}},
          .buffers = {.input = in.input(), .output = out.output()},
          .holds = {{in.owner, out.owner}, {}}};
}

void give(prepared& to, divided&& blocks) {
  to.holds.tables = std::make_unique<block_tables>();
  block_tables& kept = *to.holds.tables;
  kept.bytes = std::move(blocks.bytes);
  kept.offsets = std::move(blocks.offsets);
  to.buffers.given = {kept.bytes, kept.offsets, {}, {}};
}

prepared all_gather_v(const team_handle& on, const py::object& sent, const py::object& received) {
  divided out = divide(received, true, "recvbuf", members_of(on));
  const elements in = read_from(sent, "sendbuf");
  check_own(on, out, in);
  prepared made = moving(kind::all_gather_v, mean_of(out), 0, in, out.all);
  give(made, std::move(out));
  return made;
}

prepared gather_v(const team_handle& on, const py::object& sent, const py::object& received,
                  int root) {
  const elements in = read_from(sent, "sendbuf");
  if (on.members.rank() != root) return moving(kind::gather_v, 0, root, in, {});
  divided out = divide(received, true, "recvbuf", members_of(on));
  check_own(on, out, in);
  prepared made = moving(kind::gather_v, 0, root, in, out.all);
  give(made, std::move(out));
  return made;
}

prepared scatter_v(const team_handle& on, const py::object& sent, const py::object& received,
                   int root) {
  const elements out = written_to(received, "recvbuf");
  if (on.members.rank() != root) return moving(kind::scatter_v, 0, root, {}, out);
  divided in = divide(sent, false, "sendbuf", members_of(on));
  check_own(on, in, out);
  prepared made = moving(kind::scatter_v, 0, root, in.all, out);
  give(made, std::move(in));
  return made;
}

prepared all_to_all_v(const team_handle& on, const py::object& sent, const py::object& received) {
  divided in = divide(sent, false, "sendbuf", members_of(on));
  divided out = divide(received, true, "recvbuf", members_of(on));
  check_same_type(in.all, out.all);
  prepared made = moving(kind::all_to_all_v, 0, 0, in.all, out.all);
  give(made, std::move(in));
  block_tables& kept = *made.holds.tables;
  kept.received_bytes = std::move(out.bytes);
  kept.received_offsets = std::move(out.offsets);
  made.buffers.given[2] = kept.received_bytes;
  made.buffers.given[3] = kept.received_offsets;
  return made;
}

prepared reduce_scatter(const team_handle& on, const py::object& sent, const py::object& received,
                        const py::object& counts, const op& by) {
  const elements out = written_to(received, "recvbuf");
  divided in = divide(py::make_tuple(sent, counts), false, "sendbuf", members_of(on));
  check_own(on, in, out);
  const combination how = combination_of(in.all, by);
  prepared made = moving(kind::reduce_scatter_v, mean_of(in), 0, in.all, out);
  made.wanted.what.element_bytes = how.element_bytes;
  made.wanted.kind_of_reduction = how.name;
  made.buffers.combine = how.by;
  // Here blocks are told in elements, which are combined.
  for (std::uint64_t& each : in.bytes) each /= how.element_bytes;
  for (std::uint64_t& each : in.offsets) each /= how.element_bytes;
  give(made, std::move(in));
  return made;
}

}  // namespace

void add_uneven(py::class_<team_handle>& to) {
  define_collective<&all_gather_v, "Allgatherv", "Iallgatherv", "sendbuf", "recvbuf">(
      to,
      "As Allgather with blocks of different lengths: `recvbuf` is [array, counts] "
      "or [array, counts, displacements], in elements. Collective.");
  define_collective<&gather_v, "Gatherv", "Igatherv", "sendbuf", "recvbuf", "root">(
      to,
      "As Gather with blocks of different lengths: `recvbuf` of the root is [array, "
      "counts] or [array, counts, displacements]. Collective.");
  define_collective<&scatter_v, "Scatterv", "Iscatterv", "sendbuf", "recvbuf", "root">(
      to,
      "As Scatter with blocks of different lengths: `sendbuf` of the root is [array, "
      "counts] or [array, counts, displacements]. Collective.");
  define_collective<&all_to_all_v, "Alltoallv", "Ialltoallv", "sendbuf", "recvbuf">(
      to,
      "As Alltoall with blocks of different lengths: both are [array, counts] or "
      "[array, counts, displacements]. Collective.");
  define_collective<&reduce_scatter, "Reduce_scatter", "Ireduce_scatter", "sendbuf", "recvbuf",
                    "recvcounts", "op">(
      to,
      "Member i gets the combination of block i, recvcounts[i] elements, of all "
      "`sendbuf`. Collective.");
}

}  // namespace upwash::python
