// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/install.hpp"

#include "upwash/core/job.hpp"
#include "upwash/onesided/detail/accumulate_handlers.hpp"
#include "upwash/onesided/detail/pair_handlers.hpp"
#include "upwash/onesided/detail/pieces.hpp"
#include "upwash/onesided/detail/transfer_handlers.hpp"

namespace upwash::onesided {

void install(job& here) {
  static_cast<void>(here.service<detail::piece_service>());
  static_cast<void>(here.service<detail::transfer_handlers>());
  static_cast<void>(here.service<detail::accumulate_handlers>());
  static_cast<void>(here.service<detail::pair_handlers>());
}

}  // namespace upwash::onesided
