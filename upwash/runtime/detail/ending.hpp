// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The end of a process that hosts ranks: in good order, by an error, or as a forked child.
#pragma once

#include <string>
#include <string_view>

#include "upwash/base/error.hpp"
#include "upwash/runtime/detail/composition.hpp"

namespace upwash::runtime_detail {

/// Ends the job with the message of rank `rank` (-1: all together). The launcher prints the line. A
/// process without a launcher prints it itself, and only then this function returns.
void end_job(const composition& parts, int rank, int status, std::string_view why);

/// Reports the error that ended rank `rank` (-1: the start, or all ranks together) and ends the
/// job. The launcher prints the line. A process without a launcher prints it itself, and only then
/// this function returns.
int report(const composition& parts, int rank, const error& failure);

/// Returns the name of the type of the current exception. Called in a catch block.
[[nodiscard]] std::string type_of_exception();

/// Writes the findings of streams and the prices to the named tuning file, from the process of rank
/// 0. A file that cannot be written does not fail a finished job.
void keep_findings(const composition& parts);

/// Makes children that the program forks from now on begin with empty buffers for standard output.
/// Only the rank writes its printed but unwritten text, once.
void keep_output_from_forks();

/// Ends a child that the program forked, without a message to the other processes. Such a child has
/// the job's memory but no place in the job.
[[noreturn]] void leave_fork();

}  // namespace upwash::runtime_detail
