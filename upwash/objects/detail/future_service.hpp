// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The futures of a rank, by number.
#pragma once

#include <cstdint>

#include "upwash/base/call_site.hpp"
#include "upwash/base/handle_table.hpp"
#include "upwash/core/service.hpp"

namespace upwash {
class job;
}

namespace upwash::objects {

/// A future without the type of its value.
class awaited_value {
 public:
  explicit awaited_value(job& here);
  awaited_value(const awaited_value&) = delete;
  awaited_value& operator=(const awaited_value&) = delete;

 protected:
  ~awaited_value();
  [[nodiscard]] int rank() const noexcept;
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// Waits until `there(this)`.
  void wait(bool (*there)(const void*), call_site site) const;

 private:
  job& here_;
  std::uint64_t number_;
};

class future_service final : public service_base {
 public:
  explicit future_service(job& /*here*/) {}

  /// By the numbers in messages.
  handle_table<awaited_value> open;
};

/// Throws `error` (argument) for a promise that names no future.
void check_promise(const job& here, int rank);
[[noreturn]] void refuse_second_value(const job& here, int from);

}  // namespace upwash::objects
