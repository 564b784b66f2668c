// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of one process: on the caller's stack, or on fibers in turn when there are several.
#include "upwash/conduit/shm/shm_world.hpp"

#include <exception>
#include <utility>
#include <vector>

#include "upwash/base/fiber.hpp"
#include "upwash/base/process.hpp"
#include "upwash/conduit/shm/detail/shm_endpoint.hpp"

namespace upwash::conduit {
namespace {

using shm_detail::shm_endpoint;

/// The knob of the runtime where there is one: programs without it have no small stacks to fear.
std::size_t stack_bytes_of(const settings& values) {
  for (const settings::value& one : values.values()) {
    if (one.row.name == "stack_bytes") return values.bytes("stack_bytes");
  }
  return std::size_t{1} << 20U;
}

class shm_world final : public world, private waiter {
 public:
  shm_world(bootstrap& boot, const settings& values)
      : endpoint_(boot, values), stack_bytes_(stack_bytes_of(values)) {}

  [[nodiscard]] int size() const noexcept override { return endpoint_.world_size(); }
  [[nodiscard]] int first_rank() const noexcept override { return endpoint_.first_rank(); }
  [[nodiscard]] int local_ranks() const noexcept override { return endpoint_.local_ranks(); }
  [[nodiscard]] endpoint& endpoint_of(int /*rank*/) override { return endpoint_; }
  [[nodiscard]] waiter& waiter_of(int /*rank*/) override {
    if (local_ranks() > 1) return *this;
    return endpoint_;
  }
  void run(function_ref<void(int)> body) override;

 private:
  struct local_rank {
    local_rank(shm_world* world, int number, function_ref<void(int)> what)
        : owner(world), rank(number), body(what) {}

    shm_world* owner;
    int rank;
    function_ref<void(int)> body;
    std::unique_ptr<fiber> stack;
    wait_reason reason;
  };

  static void enter(void* argument);
  void idle(int rank, const wait_target& target, const wait_reason& reason) override;
  void begin_wait(int rank) override { endpoint_.begin_wait(rank); }
  void yield(int rank) override;
  void round();

  shm_endpoint endpoint_;
  std::size_t stack_bytes_;
  std::vector<local_rank> ranks_;
  std::size_t running_ = 0;  ///< ranks whose bodies have not ended
  std::exception_ptr failure_;
};

void shm_world::run(function_ref<void(int)> body) {
  if (local_ranks() == 1) {
    process::set_current_rank(first_rank());
    body(first_rank());
    return;
  }
  fiber_stacks stacks(static_cast<std::size_t>(local_ranks()), stack_bytes_);
  ranks_.clear();
  ranks_.reserve(static_cast<std::size_t>(local_ranks()));
  for (int i = 0; i < local_ranks(); ++i) {
    local_rank& one = ranks_.emplace_back(this, first_rank() + i, body);
    one.stack = std::make_unique<fiber>(stacks, static_cast<std::size_t>(i), &enter, &one);
  }
  running_ = ranks_.size();
  // After a failure the other ranks' stacks are dropped as they are: what they wait for may never
  // come, and the job is over.
  while (running_ != 0 && !failure_) round();
  process::set_current_rank(-1);
  if (failure_) process::leave_all();  // a report would look at the stacks dropped here
  ranks_.clear();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void shm_world::enter(void* argument) {
  local_rank& self = *static_cast<local_rank*>(argument);
  shm_world& owner = *self.owner;
  try {
    self.body(self.rank);
  } catch (...) {
    owner.failure_ = std::current_exception();
  }
  --owner.running_;
}

/// Every rank once; when all of them only wait, the process waits.
void shm_world::round() {
  const std::uint64_t before = endpoint_.happenings();
  const std::size_t running = running_;
  const local_rank* waiting = nullptr;
  for (local_rank& one : ranks_) {
    if (one.stack->finished()) continue;
    process::set_current_rank(one.rank);
    one.stack->resume();
    if (failure_) return;
    waiting = &one;
  }
  if (endpoint_.happenings() == before && running_ == running && waiting != nullptr) {
    // Any of the ranks' targets may be reached by then, so not a target of one of them.
    endpoint_.idle(waiting->rank, wait_target::credit(waiting->rank, lane::request),
                   waiting->reason);
  }
}

void shm_world::idle(int rank, const wait_target& /*target*/, const wait_reason& reason) {
  local_rank& self = ranks_[static_cast<std::size_t>(rank - first_rank())];
  self.reason = reason;
  self.stack->suspend();
}

void shm_world::yield(int rank) {
  ranks_[static_cast<std::size_t>(rank - first_rank())].stack->suspend();
}

}  // namespace

std::unique_ptr<world> make_shm_world(bootstrap& boot, const settings& values) {
  return std::make_unique<shm_world>(boot, values);
}

}  // namespace upwash::conduit
