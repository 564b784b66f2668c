// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The module upwash._upwash, which the package upwash is written on.
#include "interop/python/detail/module.hpp"

#include "interop/python/detail/errors.hpp"
#include "upwash/base/version.hpp"

PYBIND11_MODULE(_upwash, m) {
  using namespace upwash::python;
  m.doc() = "upwash for Python; import upwash.";
  m.attr("__version__") = UPWASH_VERSION;
  translate_errors();
  add_jobs(m);
  add_running(m);
  add_requests(m);
  add_persistent(m);
  add_operators(m);
  auto teams = add_teams(m);
  add_collectives(m, teams);
  add_reductions(teams);
  add_uneven(teams);
  add_messages(teams);
  add_neighborhoods(m, teams);
  add_regions(m, teams);
  add_semaphores(m, teams);
  add_locks(m, teams);
  add_streams(m);
  add_timing(m);
}
