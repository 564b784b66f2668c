// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Handler ids: the modules (executable and shared libraries) of this process, numbered in
// loading order. Equal builds number equally; `fingerprint` lets a start handshake check that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upwash/conduit/message.hpp"

namespace upwash::detail {

class module_table {
 public:
  module_table();  ///< Looks at the modules loaded now.

  /// The id of a function. Rescans when its module was loaded later; throws `error` when the
  /// address lies in no module or there are more than 254.
  [[nodiscard]] conduit::handler_id id_of(const void* function) {
    const auto address = reinterpret_cast<std::uintptr_t>(function);
    const entry& first = modules_.front();
    if (address - first.base < first.size) {
      return {static_cast<std::uint32_t>(address - first.base), 0};
    }
    return find(address);
  }

  /// The function of an id. Rescans for modules loaded later; throws `error` (fault) for one that
  /// this process has not.
  [[nodiscard]] const void* function_of(conduit::handler_id id) {
    if (!holds(id)) [[unlikely]]
      rescan_for(id);
    return reinterpret_cast<const void*>(modules_[id.module].base + id.offset);
  }

  /// A number over names and build ids, in order.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fingerprint_; }

  /// "name_of_function" or "program+0x1234", for messages.
  [[nodiscard]] std::string name_of(conduit::handler_id id) const;

 private:
  struct entry {
    std::uintptr_t base = 0;
    std::uintptr_t size = 0;
    std::string name;
  };

  void scan();
  [[nodiscard]] conduit::handler_id find(std::uintptr_t address);
  [[nodiscard]] bool holds(conduit::handler_id id) const noexcept {
    return id.module < modules_.size() && id.offset < modules_[id.module].size;
  }
  void rescan_for(conduit::handler_id id);

  std::vector<entry> modules_;
  std::uint64_t fingerprint_ = 0;
};

}  // namespace upwash::detail
