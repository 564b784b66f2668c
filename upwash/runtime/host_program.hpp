// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How `upwash run --privatize` starts ranks: the command loads the libraries that the program links
// and calls this in the library of upwash that is among them, which is one for all ranks.
#pragma once

namespace upwash {

/// The name under which the command finds the function below; it changes when its meaning does.
inline constexpr const char* host_program_name = "upwash_host_program_1";

}  // namespace upwash

/// Runs a copy of the program `argv[0]`, whose libraries are loaded, for each rank of this process.
/// Returns the exit status for main, as `run` does.
extern "C" int upwash_host_program_1(int argc, char** argv);
