// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checkpoints of object arrays: what `object_array::save` and `load` are told, and say.
#pragma once

#include <cstdint>
#include <string>

namespace upwash {

struct checkpoint_options {
  /// What the state is, in the program's words; loaded is only what was saved under the same. At
  /// most 1,024 bytes.
  std::string type = {};
  /// Loads objects to the members that had them, as far as there are so many; else to their homes.
  bool to_old_members = false;
};

/// The same at all members.
struct checkpoint_result {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;  ///< of all files but the header
};

}  // namespace upwash
