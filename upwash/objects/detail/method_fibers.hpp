// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The methods of a rank's objects that have begun and may wait, each on a fiber aside.
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

/// A method that has begun and is not over.
struct open_method {
  std::unique_ptr<invocation> call;
  element* on = nullptr;
  side_fiber* fiber = nullptr;
  std::size_t place = 0;  ///< among those that wait for conditions
};

/// What a method waits for other methods of its object to make true. On its stack.
struct awaited_condition {
  function_ref<bool()> holds;
  open_method* who;
  awaited_condition* next;
};

/// Each progress looks at what each waits for; at conditions only when a method of that object has
/// run. Memory: a stack for each that has begun at once, kept.
class method_fibers {
 public:
  method_fibers(job& here, object_service& service)
      : here_(here), service_(service), stacks_(here) {}

  /// Runs the method until it waits or is over. Outside handlers.
  void begin(std::unique_ptr<invocation> call, element& on);
  /// Goes on with those that can; how many got further.
  int progress();
  /// Whether any waits for what progress looks at.
  [[nodiscard]] bool looks() const noexcept { return !looked_at_.empty(); }

  /// As object::wait_until. On the method's fiber.
  void wait_until(element& on, function_ref<bool()> condition);
  void look_at_conditions(element& on);

  /// The array goes. Methods of it that wait have the job fail: so their waits throw, and their
  /// stacks are unwound.
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
  std::vector<open_method*> looked_at_;  ///< by progress; null: has had its turn
  std::vector<open_method*> parked_;     ///< until a condition holds
  std::vector<open_method*> free_;
  std::vector<std::unique_ptr<open_method>> made_;
};

}  // namespace upwash::objects
