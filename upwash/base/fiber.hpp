// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fibers: stacks switched by hand (14 ns, of which Boost.Context 5 and the rest returns that the
// processor mispredicts). The only user of Boost.Context. A scheduler resumes fibers from its own
// stack; a fiber suspends back to whoever resumed it. Simulated ranks, several ranks in a process
// and objects share this. No thread safety: one thread drives.
#pragma once

#include <cstddef>
#include <memory>

#include "upwash/base/function_ref.hpp"

namespace upwash {

/// Memory for the stacks of many fibers. With guard pages up to `guarded_limit` stacks; above
/// it (the kernel's limit on mappings) one slab with canaries that are checked at each suspend.
/// Memory: `stack_bytes` of address space a fiber, committed as it is touched.
class fiber_stacks {
 public:
  static constexpr std::size_t guarded_limit = 16'000;

  fiber_stacks(std::size_t count, std::size_t stack_bytes);
  ~fiber_stacks();
  fiber_stacks(const fiber_stacks&) = delete;
  fiber_stacks& operator=(const fiber_stacks&) = delete;

 private:
  friend class fiber;
  struct state;
  std::unique_ptr<state> state_;
};

/// One stack with a function on it. At each switch the exception globals and errno are kept
/// with the fiber, so two fibers may wait inside catch blocks; sanitizers are told.
class fiber {
 public:
  /// `entry(argument)` runs at the first `resume`. It must not let an exception escape.
  fiber(fiber_stacks& stacks, std::size_t index, void (*entry)(void*), void* argument);
  /// The fiber has finished or was never resumed; otherwise what its stack holds is dropped
  /// without running destructors.
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  void resume();   ///< From a scheduler: runs until suspend or the end.
  void suspend();  ///< From inside this fiber: back to the resumer.
  [[nodiscard]] bool finished() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace upwash
