// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Private memory that peers may request, by name. A name is checked; an address from a peer would
// be followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/base/handle_table.hpp"
#include "upwash/base/object_pool.hpp"

namespace upwash::conduit {

/// The table. All calls O(1). Allocates only for more spans than ever before.
class span_table {
 public:
  /// Returns a name for the span, which no earlier span had.
  [[nodiscard]] std::uint64_t add(std::span<const std::byte> span) {
    registered* made = spans_.take();
    made->bytes = span;
    return names_.enter(*made);
  }
  /// Removes a registered name; does nothing for another name.
  void remove(std::uint64_t name) noexcept {
    registered* gone = names_.find(name);
    if (gone == nullptr) return;
    names_.leave(name);
    spans_.give_back(gone);
  }
  /// Returns the span with this name; null if there is none, or no longer. Valid until it is
  /// removed.
  [[nodiscard]] const std::span<const std::byte>* find(std::uint64_t name) const noexcept {
    const registered* found = names_.find(name);
    return found == nullptr ? nullptr : &found->bytes;
  }

 private:
  struct registered {
    std::span<const std::byte> bytes;
    registered* next = nullptr;  ///< in the pool
  };
  object_pool<registered> spans_;
  handle_table<registered> names_;
};

}  // namespace upwash::conduit
