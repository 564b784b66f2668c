// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The methods of a rank's objects that may wait and are in progress, each on its own fiber.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/core/side_fiber.hpp"
#include "upwash/objects/detail/element.hpp"

namespace upwash::objects {

class object_service;

/// A method in progress.
struct open_method {
  std::unique_ptr<invocation> call;
  element* on = nullptr;
  side_fiber* fiber = nullptr;
  std::size_t place = 0;  ///< among those that wait for conditions
};

/// The condition that a method waits for; other methods of its object make it true. On its stack.
struct awaited_condition {
  function_ref<bool()> holds;
  open_method* who;
  awaited_condition* next;
};

/// Progress checks the waits of each method, and conditions only when a method of that object has
/// run. Memory: a stack for each method in progress at the peak, kept.
class method_fibers {
 public:
  method_fibers(job& here, object_service& service)
      : here_(here), service_(service), stacks_(here) {}

  /// Runs the method until it waits or ends. Called outside handlers.
  void begin(std::unique_ptr<invocation> call, element& on);
  /// Continues the methods that can proceed; returns the number that advanced.
  int progress();
  /// Returns whether any method has a wait that progress checks.
  [[nodiscard]] bool looks() const noexcept { return !looked_at_.empty(); }

  /// As object::wait_until. Called on the method's fiber.
  void wait_until(element& on, function_ref<bool()> condition);
  void look_at_conditions(element& on);

  /// The array is destroyed. If methods of it wait, the job fails; their waits then throw, and
  /// their stacks are unwound.
  void stop(std::uint64_t array);
  [[nodiscard]] std::string describe() const;

 private:
  static void run(void* of);
  void resume(open_method& one);
  int turn(open_method& one);
  void keep(open_method& one);
  void look_again(open_method& one);
  void end(open_method& one);
  std::exception_ptr release(open_method& one);
  [[nodiscard]] std::vector<open_method*> waiting() const;

  job& here_;
  object_service& service_;
  side_fibers stacks_;
  open_method* now_ = nullptr;
  std::vector<open_method*> looked_at_;  ///< checked by progress; null: has had its turn
  std::vector<open_method*> parked_;     ///< until a condition holds
  std::vector<open_method*> free_;
  std::vector<std::unique_ptr<open_method>> made_;
};

}  // namespace upwash::objects
