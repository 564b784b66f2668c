// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Handler ids: the modules (executable and shared libraries) of this process. The executable, or
// this rank's copy of a program, is number 0, the module of upwash itself 1; others are numbered by
// their build ids, so that ranks agree on them whatever else they load, and in which order.
// `fingerprint` lets a start handshake check the first two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upwash/conduit/message.hpp"

namespace upwash::detail {

class module_table {
 public:
  /// Looks at the modules loaded now. `program`: an address in the copy of the program that the
  /// rank has for itself, whose other copies are none of its modules; null: the executable.
  explicit module_table(const void* program = nullptr);

  /// The id of a function. Rescans when its module was loaded later; throws `error` when the
  /// address lies in no module or there are more than 254.
  [[nodiscard]] conduit::handler_id id_of(const void* function) {
    const auto address = reinterpret_cast<std::uintptr_t>(function);
    const std::uintptr_t offset = address - program_at_.base;
    if (offset < program_at_.size) [[likely]]
      return {static_cast<std::uint32_t>(offset), 0};
    return find(address);
  }

  /// The function of an id in the program or in upwash itself, which stay where they are; null: of
  /// another module, or nobody's.
  [[nodiscard]] const void* known_function(conduit::handler_id id) const noexcept {
    const extent& in = id.module == 0 ? program_at_ : own_at_;
    if (id.module > 1 || id.offset >= in.size) [[unlikely]]
      return nullptr;
    return reinterpret_cast<const void*>(in.base + id.offset);
  }

  /// The function of an id. Rescans for modules loaded later; throws `error` (fault) for one that
  /// this process has not.
  [[nodiscard]] const void* function_of(conduit::handler_id id) {
    const void* known = known_function(id);
    return known != nullptr ? known : look_up(id);
  }

  /// A number over the builds of the executable and of upwash.
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
  extent program_at_;           ///< of the first of modules_
  extent own_at_;               ///< of the module of upwash
  std::vector<entry> modules_;  ///< the program first
  std::uint64_t fingerprint_ = 0;
};

}  // namespace upwash::detail
