// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The waiting calls of a rank, for all its arrays, and the choice of the next one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/core/service.hpp"
#include "upwash/core/team.hpp"
#include "upwash/objects/detail/element.hpp"

namespace upwash {
class job;
}

namespace upwash::objects {

class array_core;
class call_queue;
class method_fibers;

class object_service final : public service_base {
 public:
  explicit object_service(job& here);
  ~object_service() override;

  /// Returns the name of the next array on the team, the same at all members.
  [[nodiscard]] std::uint64_t next_name(const team& among);
  void add(std::uint64_t name, array_core& made) { open_[name] = &made; }
  /// Removes an array. Ends the job if methods of the array wait.
  void remove(std::uint64_t name);
  /// Throws `error` (fault) if there is no array of that name.
  [[nodiscard]] array_core& find(std::uint64_t name) const;
  [[nodiscard]] bool has(std::uint64_t name) const { return open_.contains(name); }

  /// Enqueues a call: by priority, then in the order of arrival.
  void enqueue(std::unique_ptr<invocation> call);

  /// Enqueues a call for its time (job::now), if its array then still exists.
  void enqueue_at(duration time, std::unique_ptr<invocation> call);

  /// Reports that a strategy of an array has work.
  void tell_of_strategy() noexcept;

  /// Continues a running call on a fiber, after this function.
  void begin_aside(std::unique_ptr<invocation> call, element& on);
  /// Lets waiting methods of the object check its state, which may have changed.
  void look_at_conditions(element& on);
  /// As object::wait_until, in a method that may wait.
  void wait_until(element& on, function_ref<bool()> condition);

  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress() override;
  [[nodiscard]] std::string describe_pending() const override;

  element* running = nullptr;  ///< the object of the running method; null while it waits
  bool on_fiber = false;       ///< the running method may wait
  /// Returns whether a method may run at once, without its turn in the queue.
  [[nodiscard]] bool may_run_now() const noexcept { return running == nullptr && pauses_ == 0; }

  /// No method runs while a pause exists.
  class pause {
   public:
    explicit pause(object_service& of) noexcept : of_(of) { of_.hold(1); }
    pause(const pause&) = delete;
    pause& operator=(const pause&) = delete;
    ~pause() { of_.hold(-1); }

   private:
    object_service& of_;
  };

 private:
  void hold(int more) noexcept;
  void tell_of_work() noexcept;
  int make_due_calls();
  void set_alarm() noexcept;
  [[nodiscard]] bool look_for_idleness() noexcept;

  job& here_;
  std::unique_ptr<method_fibers> aside_;  ///< made with the first method that may wait
  std::unique_ptr<invocation> begins_;    ///< the next call for a fiber, when no handler runs
  element* begins_at_ = nullptr;
  std::map<std::uint64_t, std::uint64_t> numbers_;  ///< of arrays, by team
  std::map<std::uint64_t, array_core*> open_;
  std::unique_ptr<call_queue> queue_;
  std::multimap<duration, std::unique_ptr<invocation>> later_;  ///< by the time of the call
  std::uint64_t handled_before_ = 0;                            ///< messages, at the last progress
  int pauses_ = 0;
  bool strategies_ = false;  ///< have work
};

}  // namespace upwash::objects
