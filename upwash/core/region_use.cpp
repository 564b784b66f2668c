// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/region_use.hpp"

#include "upwash/core/detail/job_state.hpp"

namespace upwash {

region_use::region_use(job& here, global_ptr<std::byte> at)
    : here_(&here), region_(detail::job_access::state(here).regions.find(at.region_bits())) {
  if (region_ == nullptr) return;
  const auto held = detail::job_access::state(*here_).memory.lock();
  ++region_->under_way;
  ++region_->awaited;
}

region_use::~region_use() {
  if (region_ == nullptr) return;
  const auto held = detail::job_access::state(*here_).memory.lock();
  --region_->under_way;
  --region_->awaited;
}

}  // namespace upwash
