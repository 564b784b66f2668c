// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The owner's handler of pair changes, as registered at a rank.
#pragma once

#include <cstdint>

#include "upwash/core/job.hpp"
#include "upwash/core/memory_handler.hpp"
#include "upwash/core/service.hpp"
#include "upwash/onesided/detail/accumulate_handlers.hpp"

namespace upwash::detail {

/// Changes a pair and answers with the old value. Throws `error` (fault) for a location that leaves
/// the owner's part or is not aligned.
void serve_pair(memory_call& call, owner_locks& locks, std::uint8_t what, std::uint8_t shift);

class pair_handlers final : public service_base {
 public:
  explicit pair_handlers(job& here)
      : change(add_memory_handler<&serve_pair>(here, "onesided.pair",
                                               here.service<accumulate_handlers>().locks)) {}

  memory_operation<&serve_pair> change;
};

}  // namespace upwash::detail
