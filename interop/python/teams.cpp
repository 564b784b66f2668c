// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "interop/python/detail/module.hpp"

namespace upwash::python {
namespace {

/// Members that get no team get None.
py::object handle_of(const team_handle& parent, const upwash::team& made) {
  return made ? py::cast(team_handle{parent.of, made}) : py::object(py::none());
}

py::object split(const team_handle& on, int color, int key) {
  return on.of->named("Split", [&] {
    const call_site site = on.of->place();
    upwash::team made;
    on.of->drive("Split", [&] { made = on.members.split(color, key, site); });
    return handle_of(on, made);
  });
}

py::object duplicate(const team_handle& on) {
  return on.of->named("Dup", [&] {
    const call_site site = on.of->place();
    upwash::team made;
    on.of->drive("Dup", [&] { made = on.members.duplicate(site); });
    return handle_of(on, made);
  });
}

py::object node(const team_handle& on) {
  return on.of->named("node", [&] {
    const call_site site = on.of->place();
    upwash::team made;
    on.of->drive("node", [&] { made = on.members.node(site); });
    return handle_of(on, made);
  });
}

py::object subset(const team_handle& on, const std::vector<int>& members) {
  return on.of->named("subset", [&] {
    const call_site site = on.of->place();
    upwash::team made;
    on.of->drive("subset", [&] { made = on.members.subset(members, site); });
    return handle_of(on, made);
  });
}

void release(team_handle& on) {
  on.of->named("Free", [&] {
    const call_site site = on.of->place();
    on.of->drive("Free", [&] { on.members.release(site); });
  });
}

/// A question that needs no call of upwash, but a job that is there.
template <class Ask>
auto ask(const team_handle& of, const Ask& question) {
  static_cast<void>(of.of->here());
  return question(of.members);
}

void check_member(const team_handle& of, int member) {
  if (member >= 0 && member < of.members.size()) return;
  refuse(fmt::format("no member {} of a team of {}", member, of.members.size()));
}

}  // namespace

py::class_<team_handle> add_teams(py::module_& to) {
  py::class_<team_handle> made(
      to, "Team",
      "An ordered set of ranks, and what they do together. Collective calls are made by all "
      "members in one order. Names are mpi4py's: in upper case for arrays, which are not copied; "
      "in lower case for any object that pickle takes.");
  const auto rank = [](const team_handle& t) {
    return ask(t, [](const upwash::team& m) { return m.rank(); });
  };
  const auto size = [](const team_handle& t) {
    return ask(t, [](const upwash::team& m) { return m.size(); });
  };
  made.def_property_readonly("rank", rank, "The own rank in the team.");
  made.def_property_readonly("size", size, "Number of members.");
  made.def("Get_rank", rank, "As `rank`.");
  made.def("Get_size", size, "As `size`.");
  made.def("__len__", size);
  made.def(
      "world_rank",
      [](const team_handle& t, int member) {
        return t.of->named("world_rank", [&] {
          static_cast<void>(t.of->here());
          check_member(t, member);
          return t.members.world_rank(member);
        });
      },
      py::arg("member"), "The rank of a member in the world.");
  made.def(
      "member_of",
      [](const team_handle& t, int world_rank) {
        return ask(t, [=](const upwash::team& m) { return m.member_of(world_rank); });
      },
      py::arg("world_rank"), "The member with that rank in the world, or -1.");
  made.def("Split", &split, py::arg("color") = 0, py::arg("key") = 0,
           "Members of equal `color` form a team, ordered by `key`, then by rank. A negative "
           "color: None. Collective, blocking.");
  made.def("Dup", &duplicate, "The same members as a team of its own. Collective, blocking.");
  made.def("node", &node, "The members on this node. Collective, blocking.");
  made.def("subset", &subset, py::arg("members"),
           "The members listed, in that order; called by exactly those. Blocking.");
  made.def("Free", &release, "Gives the team up. Collective; not the world.");
  made.def("__eq__", [](const team_handle& a, const py::object& b) {
    return py::isinstance<team_handle>(b) && a.members == b.cast<const team_handle&>().members;
  });
  made.attr("__hash__") = py::none();
  made.def("__repr__", [](const team_handle& t) {
    if (t.of->ended() || !t.members) return std::string("Team(ended)");
    return fmt::format("Team(rank={}, size={})", t.members.rank(), t.members.size());
  });
  return made;
}

}  // namespace upwash::python
