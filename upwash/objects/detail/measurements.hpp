// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is measured of an object; it travels with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/objects/detail/object_key.hpp"

namespace upwash::objects {

/// Calls of one object, by whom it called. 48 bytes for each of those, at most two thirds full.
class calls_made {
 public:
  struct row {
    object_key to;
    std::uint64_t calls = 0;  ///< 0: the place is free
    std::uint64_t bytes = 0;
  };

  void add(const object_key& to, std::uint64_t bytes);
  /// Free places too.
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
