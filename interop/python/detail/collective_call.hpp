// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives as Python calls them: one description of a call, which blocks or starts.
#pragma once

#include <utility>

#include "interop/python/detail/buffers.hpp"
#include "interop/python/detail/operations.hpp"
#include "upwash/collective/call.hpp"

namespace upwash::python {

/// A call whose arguments are checked.
struct prepared {
  collective::call wanted;
  collective::binding buffers;
  kept holds;
};

/// Blocks. The buffers are arguments of the call: its caller has them.
inline void perform(const team_handle& on, const char* call, prepared what) {
  what.wanted.site = on.of->place();
  on.of->drive(call, [&] { collective::run(on.members, what.wanted, what.buffers); });
}

[[nodiscard]] inline request_handle begin(const team_handle& on, const char* call, prepared what) {
  what.wanted.site = on.of->place();
  return start(*on.of, call, std::move(what.holds),
               [&] { return collective::start(on.members, what.wanted, what.buffers); });
}

/// Binds `make` as two methods of Team, one that blocks and one that returns a Request.
template <class... Arguments, class... Extra>
void define_collective(py::class_<team_handle>& on, const char* blocking, const char* starting,
                       prepared (*make)(const team_handle&, Arguments...), const Extra&... extra) {
  on.def(
      blocking,
      [=](const team_handle& team, Arguments... with) {
        team.of->named(blocking, [&] { perform(team, blocking, make(team, with...)); });
      },
      extra...);
  on.def(
      starting,
      [=](const team_handle& team, Arguments... with) {
        return team.of->named(starting, [&] { return begin(team, starting, make(team, with...)); });
      },
      extra...);
}

/// Python's IN_PLACE.
[[nodiscard]] bool is_in_place(py::handle given);

}  // namespace upwash::python
