// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a process that hosts ranks ends: well, by an error, or as a forked child.
#pragma once

#include <string>
#include <string_view>

#include "upwash/base/error.hpp"
#include "upwash/runtime/detail/composition.hpp"

namespace upwash::runtime_detail {

/// Ends the job for what rank `rank` (-1: all together) says. The line is the launcher's to print;
/// a process alone prints it, and only then this returns.
void end_job(const composition& parts, int rank, int status, std::string_view why);

/// Tells of the error that ended rank `rank` (-1: the start, or all ranks together) and ends the
/// job. The line is the launcher's to print; a process alone prints it, and only then this returns.
int report(const composition& parts, int rank, const error& failure);

/// In a catch block: the name of what was thrown.
[[nodiscard]] std::string type_of_exception();

/// What streams found out, and what was priced, goes to the tuning file that was named, from the
/// process of rank 0. A file that cannot be written is no reason to fail a job that is done.
void keep_findings(const composition& parts);

/// Children that the program forks from now on begin with empty buffers for standard output: what
/// the rank has printed and not yet written is the rank's to write, once.
void keep_output_from_forks();

/// A child that the program forked has the job's memory and no place in the job: it ends here,
/// without a word to the others.
[[noreturn]] void leave_fork();

}  // namespace upwash::runtime_detail
