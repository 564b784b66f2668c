// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How long a rank idles in waits.
#pragma once

#include "upwash/base/duration.hpp"
#include "upwash/conduit/waiting.hpp"
#include "upwash/core/job.hpp"

namespace upwash {

/// Counts while it lives, in between what the rank did when idle and the rank: the one that was
/// made last goes first. Reads the clock twice for each idling.
class idle_clock final : public conduit::waiter {
 public:
  explicit idle_clock(job& here) : here_(here), inner_(here.set_waiter(*this)) {}
  ~idle_clock() { here_.set_waiter(inner_); }
  idle_clock(const idle_clock&) = delete;
  idle_clock& operator=(const idle_clock&) = delete;

  [[nodiscard]] duration total() const noexcept { return total_; }

  void idle(int rank, const conduit::wait_target& target,
            const conduit::wait_reason& reason) override {
    const duration before = here_.now();
    inner_.idle(rank, target, reason);
    total_ += here_.now() - before;
  }
  void begin_wait(int rank) override { inner_.begin_wait(rank); }
  void yield(int rank) override { inner_.yield(rank); }
  [[nodiscard]] int looks(int rank) const noexcept override { return inner_.looks(rank); }

 private:
  job& here_;
  conduit::waiter& inner_;
  duration total_;
};

}  // namespace upwash
