// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The radix sort on all ranks (Kumar 2005, 7.4): four passes, each a reduction of the counts of
// 65,536 buckets, a broadcast of the map from buckets to ranks, and an all-to-all of the keys.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/radixsort/buckets.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"

namespace radixsort {

struct sort_options {
  std::string algorithm;  ///< of the all-to-all of the keys; empty: the library chooses
  int parts = 1;          ///< 1: blocking; else so many exchanges, overlapped with the grouping
  double key_ns = 30;     ///< what a pass over a key costs a simulated processor, all told
};

/// What one rank saw.
struct outcome {
  upwash::duration time;
  upwash::duration exchanging;  ///< in calls and waits of the all-to-alls of the keys
};

/// Sorts the keys of all ranks: afterwards each rank's are sorted, and above those of the ranks
/// before it. At most 2^32 - 1 keys in all. Collective over the world, blocking. Memory at each
/// rank: three times its keys, a few hundred KiB for the buckets, and O(parts * ranks).
outcome sort(upwash::job& here, std::vector<key>& keys, const sort_options& how);

/// Whether the keys of all ranks are sorted, and are those of which `before` is the fingerprint (of
/// this rank's keys before the sort). The same answer at all ranks. Collective, blocking.
[[nodiscard]] bool verified(upwash::job& here, const std::vector<key>& keys,
                            const fingerprint& before);

}  // namespace radixsort
