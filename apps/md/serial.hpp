// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The same run by one processor, cell by cell: what ranks are compared with.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/md/content.hpp"

namespace md {

struct serial_run {
  std::vector<energies> by_step;  ///< from step 0 on
  std::vector<particle> all;      ///< at the end, by number
};

[[nodiscard]] serial_run run_serially(const task& what, const std::vector<particle>& begin);

}  // namespace md
