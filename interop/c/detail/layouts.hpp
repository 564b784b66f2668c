// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Layouts as programs in C give them.
#pragma once

#include <upwash.h>

#include <variant>
#include <vector>

#include "upwash/onesided/layout.hpp"

namespace upwash::c {

/// A layout that was read, and checked to make sense.
class read_layout {
 public:
  /// Throws `error` (argument) for null, too many levels, and runs that make no sense.
  explicit read_layout(const upwash_layout* of);

  [[nodiscard]] layout laid() const;
  /// What it takes up at the local end.
  [[nodiscard]] const footprint& size() const noexcept { return size_; }
  /// Along its runs; of segments a copy of nothing: the program's stay.
  [[nodiscard]] run_walker walk() const;

 private:
  strided strided_{};
  std::span<const segment> list_;
  bool is_list_ = false;
  footprint size_{};
};

}  // namespace upwash::c
