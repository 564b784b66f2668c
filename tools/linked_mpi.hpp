// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MPI programs, by the libraries that their files name.
#pragma once

#include <string>
#include <vector>

namespace upwash::tools {

/// The names of the shared libraries that an ELF file of this machine's word size and byte order is
/// linked with (DT_NEEDED). Empty for any other file. Reads a few pages.
[[nodiscard]] std::vector<std::string> needed_libraries(const std::string& path);

/// The MPI library of a program that is linked with one and has no upwash in it; otherwise empty.
[[nodiscard]] std::string mpi_of_stranger(const std::string& path);

}  // namespace upwash::tools
