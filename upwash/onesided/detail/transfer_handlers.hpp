// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The handlers that unpack and pack at the owner, as registered at a rank.
#pragma once

#include <cstddef>
#include <vector>

#include "upwash/core/memory_handler.hpp"
#include "upwash/core/service.hpp"
#include "upwash/onesided/detail/pieces.hpp"

namespace upwash::detail {

class transfer_handlers final : public service_base {
 public:
  explicit transfer_handlers(job& here)
      : store(add_memory_handler<&store_piece>(here, "onesided.store")),
        fetch(add_memory_handler<&fetch_piece>(here, "onesided.fetch", scratch)) {}

  std::vector<std::byte> scratch;  ///< for handlers, which run one at a time
  memory_operation<&store_piece> store;
  memory_operation<&fetch_piece> fetch;
};

/// Sends pieces to these handlers.
inline void send_store(job& here, const notices& when, global_ptr<std::byte> at,
                       const call_buffers& with, const void* /*context*/) {
  call_owner(here, when, here.service<transfer_handlers>().store, at, with);
}
inline void send_fetch(job& here, const notices& when, global_ptr<std::byte> at,
                       const call_buffers& with, const void* /*context*/) {
  call_owner(here, when, here.service<transfer_handlers>().fetch, at, with);
}

}  // namespace upwash::detail
