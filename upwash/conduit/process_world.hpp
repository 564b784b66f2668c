// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of one process of a real machine: on the caller's stack, or on fibers in turn when
// there are several.
#pragma once

#include <optional>
#include <utility>

#include "upwash/base/process.hpp"
#include "upwash/base/random.hpp"
#include "upwash/conduit/rank_scheduler.hpp"
#include "upwash/conduit/stack_bytes.hpp"
#include "upwash/conduit/world.hpp"

namespace upwash::conduit {

/// `Endpoint` has, beside what an endpoint has: `schedule_by(rank_scheduler*)`, `poll_for_all()`,
/// `pause()` and `resumed()`, as `outside_world` wants them.
template <class Endpoint>
class process_world final : public world, private outside_world {
 public:
  /// Makes the endpoint of the rest.
  template <class... Args>
  explicit process_world(const settings& values, Args&&... args)
      : endpoint_(std::forward<Args>(args)...),
        turns_(static_cast<std::uint64_t>(values.integer("turns")), 0) {
    if (local_ranks() == 1) return;
    const bool drawn = values.integer("turns") != 0;
    outside_world& outside = *this;
    ranks_.emplace(first_rank(), local_ranks(), stack_bytes(values, real_stack_bytes), outside,
                   drawn ? &turns_ : nullptr);
  }

  [[nodiscard]] int size() const noexcept override { return endpoint_.world_size(); }
  [[nodiscard]] int first_rank() const noexcept override { return endpoint_.first_rank(); }
  [[nodiscard]] int local_ranks() const noexcept override { return endpoint_.local_ranks(); }
  [[nodiscard]] endpoint& endpoint_of(int /*rank*/) override { return endpoint_; }
  [[nodiscard]] waiter& waiter_of(int /*rank*/) override {
    if (ranks_) return *ranks_;
    return endpoint_;
  }
  void watch_turns(switch_watch& by) override {
    if (ranks_) ranks_->watch(by);
  }
  void run(function_ref<void(int)> body) override {
    if (ranks_) {
      endpoint_.schedule_by(&*ranks_);
      return ranks_->run(body);
    }
    process::set_current_rank(first_rank());
    body(first_rank());
  }

 private:
  int poll() override { return endpoint_.poll_for_all(); }
  void idle() override { endpoint_.pause(); }
  void resumed() override { endpoint_.resumed(); }

  Endpoint endpoint_;
  random_stream turns_;
  std::optional<rank_scheduler> ranks_;  ///< of several
};

}  // namespace upwash::conduit
