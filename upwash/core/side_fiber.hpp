// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank runs on a stack of its own, aside from its main flow: where it waits, it goes back to
// who resumed it, and the rank goes on.
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

/// One of them. Each wait of the library in it suspends it (host::wait), and so does job::progress.
/// Services resume it in their progress, which is neither in a handler nor in the progress of
/// another service; it never resumes another one. Who keeps one that waits keeps its service busy
/// (host::set_busy), so that the rank comes back to it. Time that it takes is the rank's.
class side_fiber {
 public:
  side_fiber(job& here, fiber_stacks& stacks, std::size_t index);
  side_fiber(const side_fiber&) = delete;
  side_fiber& operator=(const side_fiber&) = delete;

  /// Goes on until it waits or is over. Once the job has failed each wait throws why.
  void resume();
  [[nodiscard]] bool over() const noexcept { return now_ == state::over; }
  /// Whether what it waits for is there. Credit always is: it is tried again.
  [[nodiscard]] bool ready() const noexcept {
    return now_ == state::goes_on || now_ == state::tries_again ||
           (now_ == state::waits && target_->ready());
  }
  /// Whether it waits for `wake`.
  [[nodiscard]] bool parked() const noexcept { return now_ == state::parked; }
  /// Whether resuming it now is but another attempt, that need not change anything.
  [[nodiscard]] bool tries_again() const noexcept { return now_ == state::tries_again; }
  /// Of its outermost wait.
  [[nodiscard]] conduit::wait_reason reason() const noexcept { return shown_.reason(); }
  /// What `run` threw; it is over then.
  [[nodiscard]] std::exception_ptr take_failure() noexcept {
    return std::exchange(failure_, nullptr);
  }

  /// On it: waits until somebody calls `wake`. Throws why the job has failed.
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

/// Those of a service, to be used again. Memory: as many stacks as ran at once, at most doubled;
/// pages as they are touched.
class side_fibers {
 public:
  explicit side_fibers(job& here) : here_(here) {}
  side_fibers(const side_fibers&) = delete;
  side_fibers& operator=(const side_fibers&) = delete;

  /// `run(argument)` will run there, from the first resume on.
  [[nodiscard]] side_fiber& begin(void (*run)(void*), void* argument);
  /// It is over.
  void give_back(side_fiber& one) { free_.push_back(&one); }

 private:
  void add_stacks();

  job& here_;
  std::vector<std::unique_ptr<fiber_stacks>> stacks_;
  std::vector<std::unique_ptr<side_fiber>> all_;
  std::vector<side_fiber*> free_;
};

}  // namespace upwash
