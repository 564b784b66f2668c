// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The placement of ranks during a measurement.
#pragma once

#include <cstdint>
#include <string_view>

namespace upwash::tuning {

/// Virtual machines move their cores. Only samples of one placement are compared.
enum class placement : std::uint8_t {
  near,       ///< each rank on its own core, close together
  far,        ///< each rank on its own core, far apart
  shared,     ///< ranks share cores
  apart,      ///< on separate hosts, or without shared memory: placement is not visible
  simulated,  ///< virtual time, which repeats exactly
  disturbed,  ///< no placement for long enough: never kept
};
[[nodiscard]] std::string_view to_string(placement where) noexcept;

}  // namespace upwash::tuning
