// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A collective that is set up once and started often: the start then costs less than a call.
#pragma once

#include <memory>

#include "upwash/core/request.hpp"

namespace upwash::collective {

namespace detail {
class operation;
struct operation_block;
}  // namespace detail

/// The handle of a collective that is set up once and started often. It keeps the room of the
/// steps, the scratch and the operation's number. All members of the team make and start it in the
/// same order. Movable.
class persistent {
 public:
  /// `kept`: made by `prepare` (call.hpp, executor.hpp).
  explicit persistent(std::unique_ptr<detail::operation_block> kept) noexcept;
  persistent(persistent&&) noexcept;
  persistent& operator=(persistent&&) noexcept;
  /// Waits for a start that is not complete.
  ~persistent();

  /// Starts the collective, as `execute` does. After a start with exit mode none, it waits for that
  /// start's remaining receives. Throws `error` (argument) if the previous start is not complete or
  /// failed, or if this object was moved from.
  [[nodiscard]] request start();
  /// Blocking form, as fast as a blocking call. Members may mix `start` and `run`.
  void run();

 private:
  [[nodiscard]] detail::operation& kept() const;
  void retire();

  std::unique_ptr<detail::operation_block> kept_;
};

}  // namespace upwash::collective
