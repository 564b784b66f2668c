// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/slots.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/core/job.hpp"

namespace upwash::collective::detail {

slot& slot_store::waiting(const job& here, int peer, std::uint64_t name, progress_of state) const {
  slot* s = names_.find(name);
  if (s != nullptr && s->state == state) return *s;
  throw error(error_kind::fault,
              fmt::format("rank {}: rank {} tells of step {:#x} of a collective, which {}; its "
                          "memory or its messages are damaged",
                          here.rank(), peer, name,
                          s == nullptr ? "is not under way here" : "does not wait for that"));
}

}  // namespace upwash::collective::detail
