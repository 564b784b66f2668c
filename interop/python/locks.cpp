// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Locks at members of a team.
#include "upwash/onesided/locks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "interop/python/detail/module.hpp"
#include "interop/python/detail/sets.hpp"

namespace upwash::python {
namespace {

using locks_handle = set_handle<lock_set>;

lock_kind kind_named(const std::string& name) {
  constexpr std::array all{lock_kind::ticket, lock_kind::server,       lock_kind::hybrid,
                           lock_kind::queue,  lock_kind::test_and_set, lock_kind::array};
  std::vector<std::string_view> names;
  for (const lock_kind each : all) {
    if (to_string(each) == name) return each;
    names.push_back(to_string(each));
  }
  refuse(fmt::format("kind is {}: expected one of {}", name, fmt::join(names, ", ")));
}

locks_handle make(const team_handle& on, const py::object& per_rank, const std::string& kind,
                  const py::object& most_held) {
  return on.of->named("locks", [&] {
    const int each = place_in(per_rank, "per_rank");
    const int held = place_in(most_held, "most_held");
    const lock_kind chosen = kind_named(kind);
    return locks_handle(on, "locks", [&] { return lock_set(on.members, each, chosen, held); });
  });
}

/// One lock of a set.
struct place {
  int member;
  int index;
};
place place_of(const py::object& member, const py::object& index) {
  return {place_in(member, "member"), place_in(index, "index")};
}

void lock(const locks_handle& in, const py::object& member, const py::object& index) {
  in.of().named("lock", [&] {
    lock_set& set = in.set();
    const place at = place_of(member, index);
    const call_site site = in.of().place();
    in.of().drive("lock", [&] { set.lock(at.member, at.index, site); });
  });
}

bool try_lock(const locks_handle& in, const py::object& member, const py::object& index) {
  return in.of().named("try_lock", [&] {
    lock_set& set = in.set();
    const place at = place_of(member, index);
    const call_site site = in.of().place();
    bool taken = false;
    in.of().drive("try_lock", [&] { taken = set.try_lock(at.member, at.index, site); });
    return taken;
  });
}

void unlock(const locks_handle& in, const py::object& member, const py::object& index) {
  in.of().named("unlock", [&] {
    lock_set& set = in.set();
    const place at = place_of(member, index);
    const call_site site = in.of().place();
    in.of().drive("unlock", [&] { set.unlock(at.member, at.index, site); });
  });
}

bool holds(const locks_handle& in, const py::object& member, const py::object& index) {
  return in.of().named("holds", [&] {
    const place at = place_of(member, index);
    return in.set().holds(at.member, at.index);
  });
}

/// For the `with` of Python.
struct held_handle {
  py::object in;  ///< its Locks
  py::object member;
  py::object index;

  [[nodiscard]] const locks_handle& locks() const { return in.cast<const locks_handle&>(); }
};

}  // namespace

void add_locks(py::module_& to, py::class_<team_handle>& teams) {
  teams.def("locks", &make, py::arg("per_rank") = 1, py::arg("kind") = "queue",
            py::arg("most_held") = 64,
            "So many free locks at each member; a rank holds `most_held` of them at most. `kind`: "
            "ticket, server, hybrid, queue, test_and_set or array, how they are handed over. All "
            "the same at all members. Returns Locks. Collective, blocking.");
  const auto member = py::arg("member");
  const auto index = py::arg("index") = 0;
  py::class_<held_handle>(to, "HeldLock", "A lock that is held in a `with` block.")
      .def("__enter__", [](const held_handle& one) { lock(one.locks(), one.member, one.index); })
      .def("__exit__", [](const held_handle& one, const py::args& /*raised*/) {
        unlock(one.locks(), one.member, one.index);
      });
  py::class_<locks_handle>(
      to, "Locks",
      "Locks at each member of a team, which all its members take. Those who ask are served in "
      "turn, but of kind test_and_set. A lock orders what its holders do, and moves no data: puts "
      "made under it are complete (put, or flush) before it is given back.")
      .def_property_readonly(
          "per_rank", [](const locks_handle& of) { return of.set().per_rank(); },
          "How many each member has.")
      .def_property_readonly(
          "kind", [](const locks_handle& of) { return std::string(to_string(of.set().kind())); },
          "How they are handed over.")
      .def_property_readonly(
          "team", [](const locks_handle& of) { return of.on(); }, "Who made them.")
      .def("lock", &lock, member, index, "Blocks until this rank holds that lock.")
      .def("try_lock", &try_lock, member, index,
           "Takes it where it is free, and says whether it was. Never waits for a holder.")
      .def("unlock", &unlock, member, index,
           "Hands it to the one who waits longest, or leaves it free.")
      .def("holds", &holds, member, index, "Whether this rank holds it. Local.")
      .def(
          "held",
          [](const py::object& in, const py::object& at, const py::object& which) {
            return held_handle{in, at, which};
          },
          member, index, "For `with`: locks on the way in, unlocks on the way out.")
      .def("free", &locks_handle::free,
           "Gives them back, while no member holds any; the end of the job does it, too. "
           "Collective, blocking.");
}

}  // namespace upwash::python
