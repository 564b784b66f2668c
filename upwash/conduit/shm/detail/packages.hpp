// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sockets by hwloc.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/conduit/shm/detail/mesh.hpp"

namespace upwash::conduit::shm_detail {

/// A package for each process, numbered from 0 in the order of first appearance: the one that
/// holds all its processors, else (not bound) by blocks of equal size.
[[nodiscard]] std::vector<std::uint16_t> packages_of(const std::vector<processor_set>& processes);

}  // namespace upwash::conduit::shm_detail
