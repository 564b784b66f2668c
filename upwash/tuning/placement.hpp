// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How ranks lay while something was measured.
#pragma once

#include <cstdint>
#include <string_view>

namespace upwash::tuning {

/// Virtual machines move their cores: samples of one placement only are compared.
enum class placement : std::uint8_t {
  near,       ///< each rank its own core, close together
  far,        ///< each its own, far apart
  shared,     ///< ranks share cores
  apart,      ///< on hosts of their own, or without memory in common: nothing is seen
  simulated,  ///< virtual time: it repeats exactly
  disturbed,  ///< none of these for long enough: never kept
};
[[nodiscard]] std::string_view to_string(placement where) noexcept;

}  // namespace upwash::tuning
