// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The handle of a collective that is set up once and started often.
#pragma once

#include <memory>

#include "upwash/core/request.hpp"

namespace upwash::collective {

namespace detail {
class operation;
struct operation_block;
}  // namespace detail

/// A collective that is set up once and started often: its steps' room, scratch and number are
/// kept. Made and started by all members of the team in the same order. Movable.
class persistent {
 public:
  /// What `prepare` (call.hpp, executor.hpp) made.
  explicit persistent(std::unique_ptr<detail::operation_block> kept) noexcept;
  persistent(persistent&&) noexcept;
  persistent& operator=(persistent&&) noexcept;
  /// Waits for a start that is not complete.
  ~persistent();

  /// As `execute`; behind a start with exit mode none it waits for what that still receives.
  /// Throws `error` (argument) when the start before is not complete, or failed, and where this was
  /// moved from.
  [[nodiscard]] request start();
  /// The same, blocking: as fast as the call that blocks. Members may start it so or the other way.
  void run();

 private:
  [[nodiscard]] detail::operation& kept() const;
  void retire();

  std::unique_ptr<detail::operation_block> kept_;
};

}  // namespace upwash::collective
