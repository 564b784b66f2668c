// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The futures of a rank, by number.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "upwash/base/call_site.hpp"
#include "upwash/core/service.hpp"

namespace upwash {
class job;
}

namespace upwash::objects {

/// What a future is whatever its value's type.
class awaited_value {
 public:
  explicit awaited_value(job& here);
  awaited_value(const awaited_value&) = delete;
  awaited_value& operator=(const awaited_value&) = delete;

 protected:
  ~awaited_value();
  [[nodiscard]] int rank() const noexcept;
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// Until `there(this)`.
  void wait(bool (*there)(const void*), call_site site) const;

 private:
  job& here_;
  std::uint64_t number_;
};

class future_service final : public service_base {
 public:
  explicit future_service(job& /*here*/) {}

  [[nodiscard]] std::uint64_t add(awaited_value& made) {
    open_.emplace(++last_, &made);
    return last_;
  }
  void remove(std::uint64_t number) noexcept { open_.erase(number); }
  /// Null: no more.
  [[nodiscard]] awaited_value* find(std::uint64_t number) const noexcept {
    const auto found = open_.find(number);
    return found == open_.end() ? nullptr : found->second;
  }

 private:
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, awaited_value*> open_;
};

/// Throws `error` (argument) for a promise that names no future.
void check_promise(const job& here, int rank);
[[noreturn]] void refuse_second_value(const job& here, int from);

}  // namespace upwash::objects
