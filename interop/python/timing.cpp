// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The same calls by C++, in the process of a Python program: what bench/python/calls.py measures
// beside.
#include <chrono>
#include <string>

#include "interop/python/detail/module.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/barrier.hpp"

namespace upwash::python {
namespace {

/// Mean seconds of a blocking call. Collective.
double time_calls(const team_handle& on, const std::string& what, int count) {
  return on.of->named("time_calls", [&] {
    const bool is_barrier = what == "barrier";
    if (!is_barrier && what != "all_reduce") refuse(what + " is neither barrier nor all_reduce");
    std::chrono::duration<double> taken{};
    on.of->drive("time_calls", [&] {
      const double mine = on.members.rank();
      double all = 0;
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < count; ++i) {
        if (is_barrier) {
          upwash::barrier(on.members, blocking);
        } else {
          upwash::all_reduce<sum>(on.members, blocking, std::span(&mine, 1), std::span(&all, 1));
        }
      }
      taken = std::chrono::steady_clock::now() - start;
    });
    return taken.count() / count;
  });
}

}  // namespace

void add_timing(py::module_& to) {
  to.def("_time_calls", &time_calls, py::arg("team"), py::arg("what"), py::arg("count"),
         "Mean seconds of a blocking barrier, or all_reduce of 8 bytes, by C++. Collective.");
}

}  // namespace upwash::python
