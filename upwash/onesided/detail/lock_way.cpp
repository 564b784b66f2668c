// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/detail/lock_way.hpp"

#include "upwash/core/host.hpp"
#include "upwash/core/wait_scope.hpp"

namespace upwash::detail {

void await_word(job& here, const region& of, global_ptr<std::uint64_t> at, std::uint64_t value,
                const conduit::wait_reason& reason) {
  const wait_scope in(here, reason);
  if (const std::uint64_t* word = reached(here, of, at)) {
    host(here).wait(conduit::wait_target::peers_word(*word, comparison::equal, value), reason);
    return;
  }
  while (get_value(here, at) != value) here.progress();
}

}  // namespace upwash::detail
