// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operations on words of memory that several ranks reach: for requests of programs, and for
// execution by a conduit, a processor or a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace upwash {

/// The comparison of a word with a value.
enum class comparison : std::uint8_t { equal, not_equal, greater_equal };

/// Operations on a word of 4 or 8 bytes; `operand` and `compare` hold the low bytes.
enum class atomic_kind : std::uint8_t {
  load,
  store,
  add,
  fetch_add,
  swap,
  compare_swap,
  bit_and,
  fetch_and,
  bit_or,
  fetch_or,
  bit_xor,
  fetch_xor,
  min_signed,
  fetch_min_signed,
  max_signed,
  fetch_max_signed,
  min_unsigned,
  fetch_min_unsigned,
  max_unsigned,
  fetch_max_unsigned,
};

inline constexpr std::size_t atomic_kind_count =
    static_cast<std::size_t>(atomic_kind::fetch_max_unsigned) + 1;

/// Returns the name in knobs and reports.
[[nodiscard]] std::string_view to_string(atomic_kind kind) noexcept;

/// A set of atomic operations, each a kind and a width of 4 or 8 bytes.
class atomic_set {
 public:
  constexpr atomic_set() = default;
  constexpr atomic_set(std::initializer_list<atomic_kind> kinds, bool narrow = true,
                       bool wide = true) noexcept {
    for (const atomic_kind kind : kinds) {
      if (narrow) narrow_ |= bit(kind);
      if (wide) wide_ |= bit(kind);
    }
  }
  [[nodiscard]] static constexpr atomic_set all() noexcept {
    atomic_set every;
    every.narrow_ = every.wide_ = (std::uint32_t{1} << atomic_kind_count) - 1;
    return every;
  }

  [[nodiscard]] constexpr bool contains(atomic_kind kind, std::size_t width) const noexcept {
    return ((width == 4 ? narrow_ : wide_) & bit(kind)) != 0;
  }
  [[nodiscard]] constexpr bool includes(const atomic_set& other) const noexcept {
    return (other & *this) == other;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return (narrow_ | wide_) == 0; }

  friend constexpr atomic_set operator&(atomic_set a, const atomic_set& b) noexcept {
    a.narrow_ &= b.narrow_;
    a.wide_ &= b.wide_;
    return a;
  }
  /// Returns the operations of `a` that `b` lacks.
  friend constexpr atomic_set operator-(atomic_set a, const atomic_set& b) noexcept {
    a.narrow_ &= ~b.narrow_;
    a.wide_ &= ~b.wide_;
    return a;
  }
  friend constexpr bool operator==(const atomic_set&, const atomic_set&) noexcept = default;

 private:
  static constexpr std::uint32_t bit(atomic_kind kind) noexcept {
    return std::uint32_t{1} << static_cast<unsigned>(kind);
  }
  std::uint32_t narrow_ = 0;
  std::uint32_t wide_ = 0;
};

struct atomic_operation {
  atomic_kind kind = atomic_kind::fetch_add;
  std::uint8_t width = 8;  ///< 4 or 8; the offset is aligned to it
  std::uint64_t operand = 0;
  std::uint64_t compare = 0;
};

}  // namespace upwash
