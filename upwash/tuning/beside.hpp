// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Computing while a collective is under way, as measurements of overlap do it.
#pragma once

#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/request.hpp"

namespace upwash::tuning {

/// Computes for that long, in as many slices as `looks` says (one where it is 0), with a look at
/// the request after each. How long it took, with the looks.
duration compute_beside(job& here, request& open, duration time, int looks);

}  // namespace upwash::tuning
