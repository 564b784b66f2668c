// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A point, a velocity or a force.
#pragma once

namespace md {

struct vec {
  double x = 0;
  double y = 0;
  double z = 0;

  constexpr vec& operator+=(const vec& other) noexcept {
    x += other.x;
    y += other.y;
    z += other.z;
    return *this;
  }
  constexpr vec& operator-=(const vec& other) noexcept {
    x -= other.x;
    y -= other.y;
    z -= other.z;
    return *this;
  }
  friend constexpr vec operator+(vec a, const vec& b) noexcept { return a += b; }
  friend constexpr vec operator-(vec a, const vec& b) noexcept { return a -= b; }
  friend constexpr vec operator*(const vec& a, double by) noexcept {
    return {a.x * by, a.y * by, a.z * by};
  }
  friend constexpr double dot(const vec& a, const vec& b) noexcept {
    return a.x * b.x + a.y * b.y + a.z * b.z;
  }
};

}  // namespace md
