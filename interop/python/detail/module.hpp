// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the parts of the module add to it.
#pragma once

#include "interop/python/detail/session.hpp"

namespace upwash::python {

void add_jobs(py::module_& to);
void add_running(py::module_& to);
void add_requests(py::module_& to);
void add_persistent(py::module_& to);
void add_neighborhoods(py::module_& to, py::class_<team_handle>& teams);
void add_operators(py::module_& to);
void add_regions(py::module_& to, py::class_<team_handle>& teams);
void add_semaphores(py::module_& to, py::class_<team_handle>& teams);
void add_locks(py::module_& to, py::class_<team_handle>& teams);
void add_streams(py::module_& to);
void add_timing(py::module_& to);
[[nodiscard]] py::class_<team_handle> add_teams(py::module_& to);
void add_collectives(py::module_& module, py::class_<team_handle>& to);
void add_reductions(py::class_<team_handle>& to);
void add_uneven(py::class_<team_handle>& to);
void add_messages(py::class_<team_handle>& to);

/// A Job of Python.
[[nodiscard]] py::object job_object(const std::shared_ptr<session>& of);

}  // namespace upwash::python
