// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/planewave/row_transform.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace planewave {
namespace {

std::size_t at(int index) noexcept { return static_cast<std::size_t>(index); }

int least_factor(int of) {
  for (int factor = 2; factor * factor <= of; ++factor) {
    if (of % factor == 0) return factor;
  }
  return of;
}

}  // namespace

row_transform::row_transform(int length)
    : length_(length), roots_(at(length)), from_(at(length)), to_(at(length)), mixed_(at(length)) {
  for (int i = 0; i < length; ++i) {
    roots_[at(i)] = std::polar(1.0, 2 * std::numbers::pi * i / length);
  }
}

complex row_transform::root(int power, int sign) const {
  const complex value = roots_[at(power % length_)];
  return sign > 0 ? value : std::conj(value);
}

void row_transform::run(complex* row, int stride, int sign) {
  for (int i = 0; i < length_; ++i) from_[at(i)] = row[i * stride];
  step(from_.data(), 1, to_.data(), length_, sign);
  for (int i = 0; i < length_; ++i) row[i * stride] = to_[at(i)];
}

/// Parts of every p-th element, p the least factor, and then p of their elements at a time.
void row_transform::step(const complex* from, int stride, complex* to, int length, int sign) {
  if (length == 1) {
    *to = *from;
    return;
  }
  const int parts = least_factor(length);
  const int part = length / parts;
  const int turn = length_ / length;
  for (int i = 0; i < parts; ++i)
    step(from + i * stride, stride * parts, to + i * part, part, sign);
  for (int k = 0; k < part; ++k) {
    for (int i = 0; i < parts; ++i) mixed_[at(i)] = to[i * part + k] * root(i * k * turn, sign);
    for (int q = 0; q < parts; ++q) {
      complex sum = 0;
      for (int i = 0; i < parts; ++i) sum += mixed_[at(i)] * root(i * q * part * turn, sign);
      to[q * part + k] = sum;
    }
  }
}

}  // namespace planewave
