// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The types that can be accumulated, and y += scale * x over arrays of them.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace upwash::detail {

enum class addend : std::uint8_t { int32, int64, float32, float64, complex32, complex64 };
inline constexpr std::size_t addend_count = 6;

/// The bytes of a scale of any type.
using scale_bytes = std::array<std::byte, 16>;

struct addend_facts {
  std::string_view name;
  std::size_t size = 0;
  std::size_t alignment = 0;
  /// y[i] += scale * x[i]; y is aligned, x need not be.
  void (*add)(std::byte* y, const std::byte* x, std::size_t count, const scale_bytes& scale);
};
[[nodiscard]] const addend_facts& facts_of(addend kind) noexcept;

template <class T>
inline constexpr bool is_addend = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                  std::is_same_v<T, std::complex<float>> ||
                                  std::is_same_v<T, std::complex<double>> ||
                                  (std::is_integral_v<T> && std::is_signed_v<T> &&
                                   (sizeof(T) == 4 || sizeof(T) == 8));

template <class T>
[[nodiscard]] constexpr addend addend_of() noexcept {
  static_assert(is_addend<T>,
                "what is accumulated is a signed integer of 4 or 8 bytes, float, double, or a "
                "complex of these two");
  if constexpr (std::is_integral_v<T>) return sizeof(T) == 4 ? addend::int32 : addend::int64;
  if constexpr (std::is_same_v<T, float>) return addend::float32;
  if constexpr (std::is_same_v<T, std::complex<float>>) return addend::complex32;
  if constexpr (std::is_same_v<T, std::complex<double>>) return addend::complex64;
  return addend::float64;
}

template <class T>
[[nodiscard]] scale_bytes scale_of(const T& value) noexcept {
  scale_bytes made{};
  static_assert(sizeof value <= sizeof made);
  std::memcpy(made.data(), &value, sizeof value);
  return made;
}

}  // namespace upwash::detail
