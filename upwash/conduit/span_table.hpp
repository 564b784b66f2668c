// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Private memory that peers may ask for, by names: an address that a peer sent would be followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/base/handle_table.hpp"
#include "upwash/base/object_pool.hpp"

namespace upwash::conduit {

/// All calls O(1); allocates only for more spans than ever at once.
class span_table {
 public:
  /// A name for it, which no earlier one had.
  [[nodiscard]] std::uint64_t add(std::span<const std::byte> span) {
    registered* made = spans_.take();
    made->bytes = span;
    return names_.enter(*made);
  }
  /// `name` is one that is registered; else nothing happens.
  void remove(std::uint64_t name) noexcept {
    registered* gone = names_.find(name);
    if (gone == nullptr) return;
    names_.leave(name);
    spans_.give_back(gone);
  }
  /// Null: none has the name, or none any more. Valid until it is removed.
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
