// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A pointer into the memory of any rank. 16 bytes, plain, and may be sent in messages. Consists of
// (rank, region, offset). Arithmetic moves the offset; nothing is checked until the pointer is
// used.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace upwash {

/// Names a region within its job: the world rank that drew the id and the number of ids drawn
/// there.
struct region_id {
  std::uint32_t creator = 0;  ///< below 2^28
  std::uint32_t number = 0;   ///< below 2^28; 0: no region

  friend constexpr bool operator==(region_id, region_id) = default;
  /// Returns the id as one number, as layers use it.
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept {
    return (static_cast<std::uint64_t>(creator) << 28U) | number;
  }
};

template <class T>
class global_ptr {
 public:
  constexpr global_ptr() = default;

  /// Points `offset` bytes after the start of the rank's part of the region. An offset that does
  /// not fit becomes the largest offset, which is in no region.
  constexpr global_ptr(int rank, region_id region, std::uint64_t offset) noexcept
      : high_((static_cast<std::uint64_t>(rank) << 36U) | (region.bits() >> 20U)),
        low_((region.bits() << 44U) | (offset < offset_mask ? offset : offset_mask)) {}

  /// Returns the world rank that owns the memory.
  [[nodiscard]] constexpr int rank() const noexcept { return static_cast<int>(high_ >> 36U); }
  /// Returns the offset in bytes from the start of the rank's part.
  [[nodiscard]] constexpr std::uint64_t offset() const noexcept { return low_ & offset_mask; }
  /// Returns the region that the pointer points into.
  [[nodiscard]] constexpr region_id region() const noexcept {
    const std::uint64_t bits = region_bits();
    region_id id;
    id.creator = static_cast<std::uint32_t>(bits >> 28U) & 0xfffffffU;
    id.number = static_cast<std::uint32_t>(bits) & 0xfffffffU;
    return id;
  }
  /// Returns `region().bits()`.
  [[nodiscard]] constexpr std::uint64_t region_bits() const noexcept {
    return ((high_ << 20U) | (low_ >> 44U)) & ((std::uint64_t{1} << 56U) - 1U);
  }
  [[nodiscard]] explicit constexpr operator bool() const noexcept { return region_bits() != 0; }

  /// Returns a pointer of another type to the same location.
  template <class U>
  [[nodiscard]] constexpr global_ptr<U> as() const noexcept {
    return global_ptr<U>(high_, low_, 0);
  }

  constexpr global_ptr& operator+=(std::ptrdiff_t elements) noexcept {
    const auto moved = offset() + static_cast<std::uint64_t>(elements) * sizeof(T);
    low_ = (low_ & ~offset_mask) | (moved & offset_mask);
    return *this;
  }
  friend constexpr global_ptr operator+(global_ptr p, std::ptrdiff_t n) noexcept { return p += n; }
  friend constexpr global_ptr operator-(global_ptr p, std::ptrdiff_t n) noexcept { return p += -n; }
  friend constexpr bool operator==(const global_ptr&, const global_ptr&) = default;

 private:
  template <class U>
  friend class global_ptr;
  constexpr global_ptr(std::uint64_t high, std::uint64_t low, int /*raw*/) noexcept
      : high_(high), low_(low) {}

  static constexpr std::uint64_t offset_mask = (std::uint64_t{1} << 44U) - 1U;

  // high: rank 28 bits, region 36 bits; low: region 20 bits, offset 44 bits (16 TiB a rank).
  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
};

static_assert(sizeof(global_ptr<int>) == 16);

}  // namespace upwash
