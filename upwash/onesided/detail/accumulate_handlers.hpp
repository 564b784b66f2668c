// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The owner's handlers of accumulates, as registered at a rank, and its locks.
#pragma once

#include <cstdint>

#include "upwash/core/job.hpp"
#include "upwash/core/memory_handler.hpp"
#include "upwash/core/service.hpp"
#include "upwash/onesided/detail/addend.hpp"
#include "upwash/onesided/detail/owner_locks.hpp"
#include "upwash/onesided/detail/target.hpp"

namespace upwash::detail {

/// Adds a piece. Throws `error` (fault) for an unknown type, and for locations that leave the
/// owner's part or are not aligned.
void add_piece(memory_call& call, owner_locks& locks, scale_bytes scale, std::uint8_t what,
               std::uint8_t shift);
/// Answers with the key of the locks.
void tell_locks(memory_call& call, owner_locks& locks);

class accumulate_handlers final : public service_base {
 public:
  explicit accumulate_handlers(job& here)
      : locks(here),
        add(add_memory_handler<&add_piece>(here, "onesided.add", locks)),
        tell(add_memory_handler<&tell_locks>(here, "onesided.locks", locks)) {}

  owner_locks locks;
  memory_operation<&add_piece> add;
  memory_operation<&tell_locks> tell;
};

/// Returns the locks of the owner of `at`, if loads and stores reach both the location and the
/// locks. Else returns null, and requests the missing keys, so that the next call finds them.
[[nodiscard]] stripe_lock* locks_within_reach(job& here, global_ptr<std::byte> at,
                                              const transfer_target& target);

}  // namespace upwash::detail
