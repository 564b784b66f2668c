// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/fft3d/nas.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "upwash/base/error.hpp"

namespace fft3d {
namespace {

constexpr std::uint64_t multiplier = 1220703125;  // 5^13
constexpr std::uint64_t seed = 314159265;
constexpr std::uint64_t modulus_mask = (std::uint64_t{1} << 46U) - 1;

/// Products modulo 2^46: the low bits of a product of 64-bit words are exact.
constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) { return (a * b) & modulus_mask; }

constexpr std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1U, base = times(base, base)) {
    if ((exponent & 1U) != 0) result = times(result, base);
  }
  return result;
}

}  // namespace

nas_class nas_class_named(char name) {
  switch (name) {
    case 'S':
      return {'S',
              {64, 64, 64},
              {complex{5.546087004964e+02, 4.845363331978e+02},
               {5.546385409189e+02, 4.865304269511e+02},
               {5.546148406171e+02, 4.883910722336e+02},
               {5.545423607415e+02, 4.901273169046e+02},
               {5.544255039624e+02, 4.917475857993e+02},
               {5.542683411902e+02, 4.932597244941e+02}}};
    case 'W':
      return {'W',
              {128, 128, 32},
              {complex{5.673612178944e+02, 5.293246849175e+02},
               {5.631436885271e+02, 5.282149986629e+02},
               {5.594024089970e+02, 5.270996558037e+02},
               {5.560698047020e+02, 5.260027904925e+02},
               {5.530898991250e+02, 5.249400845633e+02},
               {5.504159734538e+02, 5.239212247086e+02}}};
    default:
      throw upwash::error(upwash::error_kind::argument,
                          fmt::format("no class '{}'; there are S and W", name));
  }
}

nas_numbers::nas_numbers(std::uint64_t first) : state_(times(seed, power(multiplier, first))) {}

double nas_numbers::next() noexcept {
  state_ = times(state_, multiplier);
  return static_cast<double>(state_) * 0x1.0p-46;
}

void fill_initial(const lengths& points, int z, int first, int count, std::span<complex> rows) {
  const auto before = (index(z) * index(points.y) + index(first)) * index(points.x);
  nas_numbers numbers(2 * before);
  for (std::size_t i = 0; i < index(count) * index(points.x); ++i) {
    const double real = numbers.next();
    rows[i] = {real, numbers.next()};
  }
}

std::vector<double> damping(int length) {
  constexpr double alpha = 1e-6;
  std::vector<double> factors;
  for (int i = 0; i < length; ++i) {
    const int k = (i + length / 2) % length - length / 2;
    factors.push_back(std::exp(-4 * alpha * std::numbers::pi * std::numbers::pi * k * k));
  }
  return factors;
}

point checksum_point(const lengths& points, int j) {
  return {j % points.x, 3 * j % points.y, 5 * j % points.z};
}

double relative_error(complex seen, complex published) {
  return std::abs((seen - published) / published);
}

double operations(const lengths& points) {
  const double all = static_cast<double>(points.x) * points.y * points.z;
  return all * (14.8157 + 7.19641 * std::log(all) + (5.23518 + 7.21113 * std::log(all)) * steps);
}

}  // namespace fft3d
