// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Text written in a signal handler: no allocation, no locks, no locale.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace upwash {

/// Appends to the caller's memory. Text that does not fit is dropped. Async-signal-safe.
class signal_text {
 public:
  explicit signal_text(std::span<char> room) noexcept : room_(room) {}

  signal_text& operator<<(std::string_view text) noexcept {
    const std::size_t kept = std::min(text.size(), room_.size() - used_);
    std::copy_n(text.data(), kept, room_.data() + used_);
    used_ += kept;
    return *this;
  }
  template <std::integral Integer>
  signal_text& operator<<(Integer value) noexcept {
    const bool negative = value < 0;
    const auto bits = static_cast<std::uint64_t>(value);
    if (negative) *this << "-";
    return digits(negative ? 0 - bits : bits, 10);
  }
  signal_text& hex(std::uint64_t value) noexcept { return (*this << "0x").digits(value, 16); }

  [[nodiscard]] std::string_view view() const noexcept { return {room_.data(), used_}; }

 private:
  signal_text& digits(std::uint64_t value, std::uint64_t base) noexcept {
    std::array<char, 20> all;
    std::size_t first = all.size();
    do {
      all[--first] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    return *this << std::string_view(all.data() + first, all.size() - first);
  }

  std::span<char> room_;
  std::size_t used_ = 0;
};

}  // namespace upwash
