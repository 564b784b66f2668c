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

  std::vector<std::byte> scratch;  ///< of handlers, which run one at a time
  memory_operation<&store_piece> store;
  memory_operation<&fetch_piece> fetch;
};

}  // namespace upwash::detail
