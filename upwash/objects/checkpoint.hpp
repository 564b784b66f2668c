// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Options and results of checkpoints of object arrays: `object_array::save` and `load`.
#pragma once

#include <cstdint>
#include <string>

namespace upwash {

struct checkpoint_options {
  /// The description of the state, in the program's words. `load` accepts only a checkpoint with
  /// the same description. At most 1,024 bytes.
  std::string type = {};
  /// Loads each object to its former member if the team has that member, otherwise to its home.
  bool to_old_members = false;
};

/// The result of a save or load; the same at all members.
struct checkpoint_result {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;  ///< in all files except the header
};

}  // namespace upwash
