// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Presents an operation with several waits as one operation in the stall report.
#pragma once

#include "upwash/conduit/waiting.hpp"

namespace upwash {

class job;

namespace detail {
class shown_wait;
}

/// Makes the stall report name this operation during its lifetime, in place of the single waits. A
/// loop that waits for credit needs a scope: else each turn is a wait of its own, too short to be
/// reported. If scopes are nested, the outermost counts; on a side fiber, the outermost of the
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
