// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One operation that waits in several turns, as the stall report sees it.
#pragma once

#include "upwash/conduit/waiting.hpp"

namespace upwash {

class job;

namespace detail {
class shown_wait;
}

/// While it lives the stall report names this operation, whatever waits it is made of. A loop that
/// waits for credit opens one around itself: else each turn were a wait of its own, too short ever
/// to be reported. Of several, one in another, the outermost counts; on a fiber aside, that of the
/// fiber. The text of `reason` is a literal.
class wait_scope {
 public:
  wait_scope(job& here, const conduit::wait_reason& reason) noexcept;
  ~wait_scope();
  wait_scope(const wait_scope&) = delete;
  wait_scope& operator=(const wait_scope&) = delete;

 private:
  [[nodiscard]] detail::shown_wait& shown_now() const noexcept;

  job& here_;
  bool outermost_;
};

}  // namespace upwash
