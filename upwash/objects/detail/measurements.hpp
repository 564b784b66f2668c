// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The measurements of an object; they migrate with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/objects/detail/object_key.hpp"

namespace upwash::objects {

/// Calls of one object, by called object. 48 bytes for each called object, at most two thirds full.
class calls_made {
 public:
  struct row {
    object_key to;
    std::uint64_t calls = 0;  ///< 0: a free slot
    std::uint64_t bytes = 0;
  };

  void add(const object_key& to, std::uint64_t bytes);
  /// Includes free slots.
  [[nodiscard]] const std::vector<row>& rows() const noexcept { return rows_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(rows_, used_);
  }

 private:
  [[nodiscard]] row& place_of(const object_key& to);

  std::vector<row> rows_;  ///< a power of two; open addressing
  std::uint64_t used_ = 0;
};

struct measurements {
  duration time;  ///< in methods
  calls_made calls;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(time, calls);
  }
};

}  // namespace upwash::objects
