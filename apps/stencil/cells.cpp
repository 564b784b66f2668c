// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/stencil/cells.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "upwash/base/random.hpp"

namespace stencil {
namespace {

constexpr std::uint64_t seed = 1;

std::size_t wide(int number) { return static_cast<std::size_t>(number); }

/// How many dimensions it leads along.
int steps_of(const direction& way) {
  return std::abs(way[0]) + std::abs(way[1]) + std::abs(way[2]);
}

}  // namespace

std::vector<direction> directions_of(int points) {
  std::vector<direction> all;
  for (int z = -1; z <= 1; ++z) {
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1; ++x) {
        const direction way{z, y, x};
        const bool at_face = steps_of(way) == 1 && (points != 5 || z == 0);
        if (at_face || (points == 27 && steps_of(way) > 1)) all.push_back(way);
      }
    }
  }
  return all;
}

box share_of(const lattice& of, const triple& places, const triple& at) {
  const triple all = of.extents();
  box mine;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto begin = [&](std::int64_t place) {
      return static_cast<int>(place * all[i] / places[i]);
    };
    mine.first[i] = begin(at[i]);
    mine.count[i] = begin(at[i] + 1) - mine.first[i];
  }
  return mine;
}

cells::cells(const lattice& of, const box& mine)
    : of_(of),
      mine_(mine),
      now_(wide(mine.count[0] + 2 * first_z()) * wide(mine.count[1] + 2) * wide(mine.count[2] + 2)),
      next_(now_.size()) {
  const auto& [z0, y0, x0] = mine.first;
  for_each_row(inside(), [&](int z, int y, int x) {
    for (int i = 0; i < mine_.count[2]; ++i) {
      const std::size_t row = wide(z0 + z - first_z()) * wide(of_.side) + wide(y0 + y - 1);
      const std::uint64_t bits = upwash::random_bits(seed, row, wide(x0 + x - 1 + i));
      now_[index(z, y, x + i)] = static_cast<double>(bits >> 11U) * 0x1.0p-53;
    }
  });
}

std::size_t cells::index(int z, int y, int x) const noexcept {
  return (wide(z) * wide(mine_.count[1] + 2) + wide(y)) * wide(mine_.count[2] + 2) + wide(x);
}

template <class Visit>
void cells::for_each_row(const box& of, Visit visit) {
  for (int z = of.first[0]; z < of.first[0] + of.count[0]; ++z) {
    for (int y = of.first[1]; y < of.first[1] + of.count[1]; ++y) visit(z, y, of.first[2]);
  }
}

/// The cells at a side, or the ghosts beyond it.
box cells::layer(const direction& side, bool ghosts) const noexcept {
  box all = inside();
  for (std::size_t i = 0; i < 3; ++i) {
    if (side[i] == 0) continue;
    const int last = mine_.count[i];
    all.count[i] = 1;
    all.first[i] = side[i] < 0 ? (ghosts ? 0 : 1) : (ghosts ? last + 1 : last);
  }
  return all;
}

std::size_t cells::inner() const noexcept {
  return wide(mine_.count[0]) * wide(mine_.count[1]) * wide(mine_.count[2]);
}

std::size_t cells::at_side(const direction& side) const noexcept {
  const triple count = layer(side, false).count;
  return wide(count[0]) * wide(count[1]) * wide(count[2]);
}

void cells::pack(const direction& side, std::span<double> into) const {
  const box from = layer(side, false);
  auto to = into.begin();
  for_each_row(from, [&](int z, int y, int x) {
    to = std::copy_n(&now_[index(z, y, x)], from.count[2], to);
  });
}

void cells::unpack(const direction& side, std::span<const double> from) {
  const box to = layer(side, true);
  const double* next = from.data();
  for_each_row(to, [&](int z, int y, int x) {
    std::copy_n(next, to.count[2], &now_[index(z, y, x)]);
    next += to.count[2];
  });
}

void cells::wrap() {
  const auto within = [](int at, int count) { return at == 0 ? count : at > count ? 1 : at; };
  const triple all{mine_.count[0] + 2 * first_z(), mine_.count[1] + 2, mine_.count[2] + 2};
  for_each_row({{}, all}, [&](int z, int y, int x) {
    const int from_z = first_z() == 0 ? z : within(z, mine_.count[0]);
    const int from_y = within(y, mine_.count[1]);
    for (int i = x; i < x + all[2]; ++i) {
      now_[index(z, y, i)] = now_[index(from_z, from_y, within(i, mine_.count[2]))];
    }
  });
}

void cells::step() {
  const int points = of_.points;
  const double scale = points == 27 ? 1.0 / 64 : 1.0 / 8;
  const double own = points == 27 ? 8 : points == 5 ? 4 : 2;
  const std::vector<direction> ways = directions_of(points);
  for_each_row(inside(), [&](int z, int y, int x) {
    double* row = &next_[index(z, y, x)];
    const int length = mine_.count[2];
    const auto add = [&](const direction& way, double weight) {
      const double* from = &now_[index(z + way[0], y + way[1], x + way[2])];
      for (int i = 0; i < length; ++i) row[i] += weight * from[i];
    };
    std::fill_n(row, length, 0.0);
    add({}, own);
    for (const direction& way : ways) add(way, points == 27 ? 8 >> steps_of(way) : 1);
    for (int i = 0; i < length; ++i) row[i] *= scale;
  });
  std::swap(now_, next_);
}

std::uint64_t cells::mark() const {
  std::uint64_t sum = 0;
  for_each_row(inside(), [&](int z, int y, int x) {
    for (int i = 0; i < mine_.count[2]; ++i) {
      const std::size_t row =
          wide(mine_.first[0] + z - first_z()) * wide(of_.side) + wide(mine_.first[1] + y - 1);
      const std::size_t at = row * wide(of_.side) + wide(mine_.first[2] + x - 1 + i);
      sum += upwash::random_bits(seed, at, std::bit_cast<std::uint64_t>(now_[index(z, y, x + i)]));
    }
  });
  return sum;
}

std::uint64_t serial_mark(const lattice& of, int steps) {
  cells all(of, {{}, of.extents()});
  for (int step = 0; step < steps; ++step) {
    all.wrap();
    all.step();
  }
  return all.mark();
}

}  // namespace stencil
