// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Handler ids: the modules (executable and shared libraries) of this process. Number 0 is the
// executable, or this rank's copy of a program; number 1 is upwash's own module. Others are
// numbered by their build ids, so ranks agree on them whatever else they load, in any order.
// `fingerprint` lets a start handshake check the first two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upwash/conduit/message.hpp"

namespace upwash::detail {

class module_table {
 public:
  /// Reads the loaded modules. `program`: an address in the rank's own copy of the program, whose
  /// other copies are not modules of the rank. Null: the executable.
  explicit module_table(const void* program = nullptr);

  /// Returns the id of a function. Rescans if its module was loaded later. Throws `error` if the
  /// address lies in no module or there are more than 254 modules.
  [[nodiscard]] conduit::handler_id id_of(const void* function) {
    const auto address = reinterpret_cast<std::uintptr_t>(function);
    const std::uintptr_t offset = address - program_at_.base;
    if (offset < program_at_.size) [[likely]]
      return {static_cast<std::uint32_t>(offset), 0};
    return find(address);
  }

  /// Returns the function of an id in the program or in upwash itself, which are never unloaded.
  /// Null if the id belongs to another module or to none.
  [[nodiscard]] const void* known_function(conduit::handler_id id) const noexcept {
    const extent& in = id.module == 0 ? program_at_ : own_at_;
    if (id.module > 1 || id.offset >= in.size) [[unlikely]]
      return nullptr;
    return reinterpret_cast<const void*>(in.base + id.offset);
  }

  /// Returns the function of an id. Rescans for modules loaded later. Throws `error` (fault) for a
  /// module that this process has not loaded.
  [[nodiscard]] const void* function_of(conduit::handler_id id) {
    const void* known = known_function(id);
    return known != nullptr ? known : look_up(id);
  }

  /// Returns a number over the builds of the executable and of upwash.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fingerprint_; }

 private:
  struct entry {
    std::uintptr_t base = 0;
    std::uintptr_t size = 0;
    std::uint64_t build = 0;  ///< a number over build id, name and size
    std::uint64_t notes = 0;  ///< over the build id alone
    std::string name;
  };

  struct extent {
    std::uintptr_t base = 0;
    std::uintptr_t size = 0;
  };

  void scan();
  void put_program_first();
  [[nodiscard]] conduit::handler_id find(std::uintptr_t address);
  [[nodiscard]] conduit::handler_id id_in(const entry& in, std::uintptr_t address) const;
  [[nodiscard]] const void* look_up(conduit::handler_id id);
  [[nodiscard]] const entry* holder_of(conduit::handler_id id, std::uint32_t& offset) const;

  const void* program_;
  extent program_at_;           ///< of the first entry of modules_
  extent own_at_;               ///< of upwash's module
  std::vector<entry> modules_;  ///< the program first
  std::uint64_t fingerprint_ = 0;
};

}  // namespace upwash::detail
