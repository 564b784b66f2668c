// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/beside.hpp"

#include <algorithm>

namespace upwash::tuning {

duration compute_beside(job& here, request& open, duration time, int looks) {
  const duration begin = here.now();
  const int slices = std::max(looks, 1);
  const duration slice = duration::from_ns(time.ns() / slices);
  for (int i = 0; i < slices; ++i) {
    const duration until = here.now() + slice;
    here.compute(slice);
    while (here.now() < until) {
    }
    if (looks != 0) static_cast<void>(open.test());
  }
  return here.now() - begin;
}

}  // namespace upwash::tuning
