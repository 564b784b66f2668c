// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The start of ranks by `upwash run --privatize`. The command loads the libraries that the program
// links, and calls this function in the upwash library among them, which all ranks share.
#pragma once

namespace upwash {

/// The name by which the command finds the function below. The name changes when the meaning of the
/// function changes.
inline constexpr const char* host_program_name = "upwash_host_program_1";

}  // namespace upwash

/// Runs a copy of the program `argv[0]`, whose libraries are loaded, for each rank of this process.
/// Returns the exit status for main, as `run` does.
extern "C" int upwash_host_program_1(int argc, char** argv);
