// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The calls that wait on a rank, those of all its arrays, and what runs next.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "upwash/core/service.hpp"
#include "upwash/core/team.hpp"
#include "upwash/objects/detail/element.hpp"

namespace upwash {
class job;
}

namespace upwash::objects {

class array_core;

class object_service final : public service_base {
 public:
  explicit object_service(job& here) : here_(here) {}

  /// The name of the next array on the team, the same at all members.
  [[nodiscard]] std::uint64_t next_name(const team& among);
  void add(std::uint64_t name, array_core& made) { open_[name] = &made; }
  void remove(std::uint64_t name);
  /// Throws `error` (fault) where there is no array of that name.
  [[nodiscard]] array_core& find(std::uint64_t name) const;

  /// To be run: by priority, then as they came.
  void enqueue(std::unique_ptr<invocation> call);

  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress() override;
  [[nodiscard]] std::string describe_pending() const override;

  element* running = nullptr;  ///< whose method runs

  /// While there is one no method runs.
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

  struct waiting {
    std::int16_t priority;
    std::uint64_t number;
    std::unique_ptr<invocation> call;
  };
  [[nodiscard]] static bool later(const waiting& a, const waiting& b) noexcept {
    return a.priority != b.priority ? a.priority > b.priority : a.number > b.number;
  }

  job& here_;
  std::map<std::uint64_t, std::uint64_t> numbers_;  ///< of arrays, by team
  std::map<std::uint64_t, array_core*> open_;
  std::vector<waiting> queue_;  ///< a heap
  std::uint64_t came_ = 0;
  int pauses_ = 0;
};

}  // namespace upwash::objects
