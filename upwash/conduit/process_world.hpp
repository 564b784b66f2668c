// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of one process of a real machine: on the caller's stack, or on fibers that take turns
// if there are several.
#pragma once

#include <memory>
#include <optional>

#include "upwash/base/knobs.hpp"
#include "upwash/base/random.hpp"
#include "upwash/conduit/endpoint.hpp"
#include "upwash/conduit/rank_scheduler.hpp"
#include "upwash/conduit/world.hpp"

namespace upwash::conduit {

/// The one endpoint of a process, which hosts all ranks of the process.
class process_endpoint : public endpoint, public outside_world {
 public:
  /// From now on messages wake their ranks in `ranks`. `poll` of a rank then only returns the
  /// number of its messages, and `poll_for_all` takes messages. `ranks` must outlive the endpoint.
  virtual void schedule_by(rank_scheduler& ranks) noexcept = 0;
};

class process_world final : public world {
 public:
  process_world(std::unique_ptr<process_endpoint> made, const settings& values);

  [[nodiscard]] int size() const noexcept override { return endpoint_->world_size(); }
  [[nodiscard]] int first_rank() const noexcept override { return endpoint_->first_rank(); }
  [[nodiscard]] int local_ranks() const noexcept override { return endpoint_->local_ranks(); }
  [[nodiscard]] process_endpoint& endpoint_of(int /*rank*/) override { return *endpoint_; }
  [[nodiscard]] waiter& waiter_of(int rank) override;
  void watch_turns(switch_watch& by) override;
  void run(function_ref<void(int)> body) override;

 private:
  std::unique_ptr<process_endpoint> endpoint_;
  random_stream turns_;
  std::optional<rank_scheduler> ranks_;  ///< if there are several ranks
};

}  // namespace upwash::conduit
