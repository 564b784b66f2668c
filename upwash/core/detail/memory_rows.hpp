// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of the messages that an owner serves on the memory lane: core's own messages, by small
// numbers, and the handlers of higher layers, by numbers derived from their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "upwash/conduit/message.hpp"

namespace upwash {
class memory_call;
}

namespace upwash::detail {

class memory_engine;

struct memory_row {
  std::uint32_t number = 0;
  std::string_view name;  ///< a literal
  void (*serve)(memory_engine& at, const memory_row& row, const conduit::message& m) = nullptr;
  // For layers:
  void (*run)(memory_call& call, std::span<const std::byte> arguments, void* state) = nullptr;
  void* state = nullptr;
  std::size_t argument_bytes = 0;
};

/// The table. Memory: O(rows), 64 bytes each.
class memory_rows {
 public:
  /// Numbers below `first_of_layers` are entered in sequence, from 0 on, before any other.
  static constexpr std::uint32_t first_of_layers = 1U << 31U;

  /// Returns the number of a layer's handler, which depends only on the name.
  [[nodiscard]] static constexpr std::uint32_t number_of(std::string_view name) noexcept {
    std::uint32_t hash = 2166136261U;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return hash | first_of_layers;
  }

  /// Adds a row. The same row again changes nothing. Throws `error` (argument) if another row has
  /// the number.
  void add(const memory_row& row, int rank);

  /// Returns the row, or null if there is none. O(log rows); O(1) for core's own.
  [[nodiscard]] const memory_row* find(std::uint32_t number) const noexcept {
    if (number < own_) return &rows_[number];
    return number < first_of_layers ? nullptr : find_of_layer(number);
  }

 private:
  [[nodiscard]] const memory_row* find_of_layer(std::uint32_t number) const noexcept;

  std::vector<memory_row> rows_;  ///< by number
  std::uint32_t own_ = 0;
};

}  // namespace upwash::detail
