// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Computes while a collective is in progress, to measure overlap.
#pragma once

#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/request.hpp"

namespace upwash::tuning {

/// Computes for `time`, in `looks` slices (one if `looks` is 0), and tests the request after each
/// slice. Returns the elapsed time, tests included.
duration compute_beside(job& here, request& open, duration time, int looks);

}  // namespace upwash::tuning
