// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counts at members of a team, posted from anywhere, alone or behind data.
#include "upwash/onesided/semaphore.hpp"

#include <fmt/format.h>

#include "interop/python/detail/module.hpp"
#include "interop/python/detail/operations.hpp"
#include "interop/python/detail/regions.hpp"
#include "interop/python/detail/sets.hpp"

namespace upwash::python {
namespace {

using semaphores_handle = set_handle<semaphore_set>;

semaphores_handle make(const team_handle& on, const py::object& per_rank,
                       const py::object& initial) {
  return on.of->named("semaphores", [&] {
    const int each = place_in(per_rank, "per_rank");
    const std::uint64_t first = amount_of(initial, "initial");
    return semaphores_handle(on, "semaphores",
                             [&] { return semaphore_set(on.members, each, first); });
  });
}

/// Where a post goes, and how much it is.
struct posting {
  int index;
  std::uint64_t n;
};
posting posting_of(const py::object& index, const py::object& n) {
  return {place_in(index, "index"), amount_of(n, "n")};
}

void post(const semaphores_handle& to, const py::object& member, const py::object& index,
          const py::object& n) {
  to.of().named("post", [&] {
    semaphore_set& set = to.set();
    const int at = place_in(member, "member");
    const posting what = posting_of(index, n);
    const call_site site = to.of().place();
    to.of().drive("post", [&] { set.post(at, what.index, what.n).wait(site); });
  });
}

request_handle start_post(const semaphores_handle& to, const py::object& member,
                          const py::object& index, const py::object& n) {
  return to.of().named("ipost", [&] {
    semaphore_set& set = to.set();
    const int at = place_in(member, "member");
    const posting what = posting_of(index, n);
    return start(to.of(), "ipost", {.buffers = {}, .started = to.part()},
                 [&] { return set.post(at, what.index, what.n); });
  });
}

request post_behind(semaphore_set& set, const transfer& what, const posting& by) {
  const std::span<const std::byte> from = what.local;
  return what.runs ? set.put_and_post(what.remote, from, *what.runs, by.index, by.n)
                   : set.put_and_post(what.remote, from, by.index, by.n);
}

void put_and_post(const semaphores_handle& of, const region_handle& to, int member,
                  const py::object& values, const py::object& at, const py::object& index,
                  const py::object& n) {
  of.of().named("put_and_post", [&] {
    semaphore_set& set = of.set();
    const posting by = posting_of(index, n);
    const transfer what = put_of(to, member, values, at);
    const call_site site = of.of().place();
    of.of().drive("put_and_post", [&] { post_behind(set, what, by).wait(site); });
  });
}

request_handle start_put_and_post(const semaphores_handle& of, const region_handle& to, int member,
                                  const py::object& values, const py::object& at,
                                  const py::object& index, const py::object& n) {
  return of.of().named("iput_and_post", [&] {
    semaphore_set& set = of.set();
    const posting by = posting_of(index, n);
    const transfer what = put_of(to, member, values, at);
    return start(of.of(), "iput_and_post", {.buffers = {what.owner}, .started = of.part()},
                 [&] { return post_behind(set, what, by); });
  });
}

void wait(const semaphores_handle& on, const py::object& index, const py::object& n) {
  on.of().named("wait", [&] {
    semaphore_set& set = on.set();
    const posting what = posting_of(index, n);
    const call_site site = on.of().place();
    on.of().drive("wait", [&] { set.wait(what.index, what.n, site); });
  });
}

bool try_wait(const semaphores_handle& on, const py::object& index, const py::object& n) {
  return on.of().named("try_wait", [&] {
    semaphore_set& set = on.set();
    const posting what = posting_of(index, n);
    bool taken = false;
    on.of().drive("try_wait", [&] { taken = set.try_wait(what.index, what.n); });
    return taken;
  });
}

std::uint64_t value(const semaphores_handle& of, const py::object& index) {
  return of.of().named("value", [&] { return of.set().value(place_in(index, "index")); });
}

}  // namespace

void add_semaphores(py::module_& to, py::class_<team_handle>& teams) {
  teams.def("semaphores", &make, py::arg("per_rank") = 1, py::arg("initial") = 0,
            "So many counts at each member, which any member adds to and their owner waits for; "
            "both numbers the same at all. Returns Semaphores. Collective, blocking.");
  const auto member = py::arg("member");
  const auto at = py::arg("at") = 0;
  const auto index = py::arg("index") = 0;
  const auto n = py::arg("n") = 1;
  py::class_<semaphores_handle>(
      to, "Semaphores",
      "Counts at each member of a team. Nothing is reset and no post is lost: a wait takes what "
      "it waited for.")
      .def_property_readonly(
          "per_rank", [](const semaphores_handle& of) { return of.set().per_rank(); },
          "How many each member has.")
      .def_property_readonly(
          "team", [](const semaphores_handle& of) { return of.on(); }, "Who made them.")
      .def("post", &post, member, index, n,
           "Adds `n` to a member's semaphore. Blocks until the member can see it. Puts of this "
           "rank that it did not wait for may come later: `put_and_post`.")
      .def("ipost", &start_post, member, index, n, "Starts a post, and returns a Request.")
      .def("put_and_post", &put_and_post, py::arg("region"), member, py::arg("values"), at, index,
           n,
           "Region.put, and behind it a post to the same member: who has waited for the post finds "
           "the data. Blocks until both are there.")
      .def("iput_and_post", &start_put_and_post, py::arg("region"), member, py::arg("values"), at,
           index, n, "Starts this. `values` must not change until the Request is complete.")
      .def("wait", &wait, index, n,
           "Blocks until the own semaphore has the value `n`, and takes that. Sends nothing.")
      .def("try_wait", &try_wait, index, n,
           "Takes `n` where they are there, and says whether they were. Makes progress.")
      .def("value", &value, index, "What a wait would find now. Makes no progress.")
      .def("free", &semaphores_handle::free,
           "Gives them back, when the posts of all members are complete; the end of the job does "
           "it, too. Collective, blocking.");
}

}  // namespace upwash::python
