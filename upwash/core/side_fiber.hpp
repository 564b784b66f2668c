// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A flow of a rank on its own stack, apart from the rank's main flow. When a side fiber waits,
// control returns to the caller that resumed it, and the rank continues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/base/fiber.hpp"
#include "upwash/conduit/waiting.hpp"
#include "upwash/core/detail/hang_watch.hpp"

namespace upwash {

class job;

/// A function of a rank on its own stack. Each wait of the library in it suspends it (host::wait),
/// and so does job::progress.
///
/// Services resume side fibers in their progress, which runs neither in a handler nor in the
/// progress of another service. A side fiber never resumes another one. A service that keeps a
/// waiting fiber stays busy (host::set_busy), so that the rank calls it again. The fiber's time is
/// the rank's time.
class side_fiber {
 public:
  side_fiber(job& here, fiber_stacks& stacks, std::size_t index);
  side_fiber(const side_fiber&) = delete;
  side_fiber& operator=(const side_fiber&) = delete;

  /// Continues until the fiber waits or is over. After a failure of the job each wait throws the
  /// failure.
  void resume();
  [[nodiscard]] bool over() const noexcept { return now_ == state::over; }
  /// Returns whether the target of the fiber's wait is ready. Credit always counts as ready: the
  /// fiber tries again.
  [[nodiscard]] bool ready() const noexcept {
    return now_ == state::goes_on || now_ == state::tries_again ||
           (now_ == state::waits && target_->ready());
  }
  /// Returns whether the fiber waits for `wake`.
  [[nodiscard]] bool parked() const noexcept { return now_ == state::parked; }
  /// Returns whether resuming the fiber now is only another attempt, which need not change
  /// anything.
  [[nodiscard]] bool tries_again() const noexcept { return now_ == state::tries_again; }
  /// Returns the reason of its outermost wait.
  [[nodiscard]] conduit::wait_reason reason() const noexcept { return shown_.reason(); }
  /// Returns the exception that `run` threw. The fiber is over then.
  [[nodiscard]] std::exception_ptr take_failure() noexcept {
    return std::exchange(failure_, nullptr);
  }

  /// Waits until `wake` is called. Called on the fiber. Throws the failure of the job.
  void park(const conduit::wait_reason& reason);
  void wake() noexcept {
    if (now_ == state::parked) now_ = state::goes_on;
  }

 private:
  friend class host;
  friend class job;
  friend class side_fibers;
  friend class wait_scope;
  enum class state : std::uint8_t { over, goes_on, runs, waits, tries_again, parked };

  static void enter(void* self);
  void wait(const conduit::wait_target& target, const conduit::wait_reason& reason);
  void give_way(const conduit::wait_reason& reason, bool took_time);
  void suspend(state until);

  job& here_;
  state now_ = state::over;
  const conduit::wait_target* target_ = nullptr;  ///< on its stack
  void (*run_)(void*) = nullptr;
  void* argument_ = nullptr;
  std::exception_ptr failure_;
  detail::shown_wait shown_;
  fiber stack_;
};

/// The reusable side fibers of a service. Memory: at most twice the number of stacks that ran at
/// once; pages are used when they are touched.
class side_fibers {
 public:
  explicit side_fibers(job& here) : here_(here) {}
  side_fibers(const side_fibers&) = delete;
  side_fibers& operator=(const side_fibers&) = delete;

  /// Prepares a fiber that runs `run(argument)` from its first resume on.
  [[nodiscard]] side_fiber& begin(void (*run)(void*), void* argument);
  /// Takes back a fiber that is over.
  void give_back(side_fiber& one) { free_.push_back(&one); }

 private:
  void add_stacks();

  job& here_;
  std::vector<std::unique_ptr<fiber_stacks>> stacks_;
  std::vector<std::unique_ptr<side_fiber>> all_;
  std::vector<side_fiber*> free_;
};

}  // namespace upwash
