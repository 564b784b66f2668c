// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A world whose ranks write down what they do.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "upwash/conduit/world.hpp"

namespace upwash::conduit {

struct trace_options {
  std::string folder;  ///< made where it is missing; each rank writes a file of its own there
  std::size_t most_bytes = std::size_t{64} << 20U;  ///< of a rank; beyond it the oldest go
  /// A second thread of the process serves memory operations: these are not written then.
  bool memory_lane = true;
};

/// The same world, traced. Memory: a file's head and a chunk of it for each local rank, and 16
/// bytes for each peer that a rank has messages with. Throws `error` (environment) where the files
/// cannot be made.
[[nodiscard]] std::unique_ptr<world> trace(std::unique_ptr<world> within,
                                           const trace_options& options);

/// The file of a rank in a trace's folder.
[[nodiscard]] std::string trace_part(std::string_view folder, int rank);

}  // namespace upwash::conduit
