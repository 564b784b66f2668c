// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Measures how long a rank idles in waits.
#pragma once

#include "upwash/base/duration.hpp"
#include "upwash/conduit/waiting.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash {

/// A layer between a rank and its idle behaviour, for as long as it is added. Forwards every call.
class waiter_layer : public conduit::waiter {
 public:
  waiter_layer(const waiter_layer&) = delete;
  waiter_layer& operator=(const waiter_layer&) = delete;

  void idle(int rank, const conduit::wait_target& target,
            const conduit::wait_reason& reason) override {
    inner_->idle(rank, target, reason);
  }
  void begin_wait(int rank) override { inner_->begin_wait(rank); }
  void yield(int rank) override { inner_->yield(rank); }
  [[nodiscard]] int looks(int rank) const noexcept override { return inner_->looks(rank); }

 protected:
  waiter_layer() = default;
  ~waiter_layer() = default;

 private:
  friend class host;
  conduit::waiter* inner_ = nullptr;
};

/// Adds up the idle time of a rank during its own lifetime. The clock that was made last is called
/// first. Clocks may be destroyed in any order. Reads the job's clock twice for each idling.
class idle_clock final : public waiter_layer {
 public:
  explicit idle_clock(job& here) : here_(here) { host(here).add_waiter(*this); }
  ~idle_clock() { host(here_).remove_waiter(*this); }
  idle_clock(const idle_clock&) = delete;
  idle_clock& operator=(const idle_clock&) = delete;

  [[nodiscard]] duration total() const noexcept { return total_; }

  void idle(int rank, const conduit::wait_target& target,
            const conduit::wait_reason& reason) override {
    const duration before = here_.now();
    waiter_layer::idle(rank, target, reason);
    total_ += here_.now() - before;
  }

 private:
  job& here_;
  duration total_;
};

}  // namespace upwash
