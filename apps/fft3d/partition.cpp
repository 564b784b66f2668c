// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/fft3d/partition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace fft3d {
namespace {

/// The squarest grid of exactly so many ranks that fits.
std::optional<rank_grid> squarest(const lengths& points, int ranks) {
  std::optional<rank_grid> best;
  for (int y = 1; y <= ranks / y; ++y) {
    for (const rank_grid grid : {rank_grid{ranks / y, y}, rank_grid{y, ranks / y}}) {
      if (ranks % y == 0 && fits(points, grid)) best = grid;
    }
  }
  return best;
}

/// The numbers of ranks next to `ranks` that fit, as "4 or 8".
std::string neighbors(const lengths& points, int ranks) {
  int below = std::min(ranks - 1, points.y * points.z);
  while (below > 1 && !squarest(points, below)) --below;
  int above = ranks + 1;
  while (above <= points.y * points.z && !squarest(points, above)) ++above;
  if (above > points.y * points.z) return fmt::format("{}", below);
  return fmt::format("{} or {}", below, above);
}

}  // namespace

bool fits(const lengths& points, const rank_grid& grid) {
  return points.x % grid.y == 0 && points.y % grid.y == 0 && points.y % grid.z == 0 &&
         points.z % grid.z == 0;
}

rank_grid grid_for(const lengths& points, int ranks, const std::optional<rank_grid>& asked) {
  const auto refuse = [](const std::string& what) {
    throw upwash::error(upwash::error_kind::argument, what);
  };
  if (!asked) {
    const auto found = squarest(points, ranks);
    if (!found) {
      refuse(fmt::format("{} ranks do not share {} x {} x {} points in equal pencils; use {}",
                         ranks, points.x, points.y, points.z, neighbors(points, ranks)));
    }
    return *found;
  }
  if (asked->y * asked->z != ranks) {
    refuse(fmt::format("--grid {} {} is {} ranks, and the job has {}", asked->y, asked->z,
                       asked->y * asked->z, ranks));
  }
  if (!fits(points, *asked)) {
    refuse(fmt::format(
        "--grid {} {} does not share {} x {} x {} points in equal pencils; the first "
        "must divide {} and {}, the second {} and {}",
        asked->y, asked->z, points.x, points.y, points.z, points.x, points.y, points.y, points.z));
  }
  return *asked;
}

transpose first_transpose(const axes& of) {
  const int rows = of.second / of.second_ranks;
  const auto part = index(of.first / of.second_ranks);
  return {.planes = of.third / of.third_ranks,
          .rows = rows,
          .length = of.first,
          .members = of.second_ranks,
          .to_member = index(rows),
          .to_plane = part * index(of.second),
          .to_row = 1,
          .to_position = index(of.second)};
}

transpose second_transpose(const axes& of) {
  const int planes = of.third / of.third_ranks;
  const auto part = index(of.second / of.third_ranks);
  return {.planes = planes,
          .rows = of.first / of.second_ranks,
          .length = of.second,
          .members = of.third_ranks,
          .to_member = index(planes),
          .to_plane = 1,
          .to_row = part * index(of.third),
          .to_position = index(of.third)};
}

void pack(const transpose& how, std::span<const complex> rows, int count,
          std::span<complex> packed) {
  const auto part = index(how.part());
  auto to = packed.begin();
  for (int member = 0; member < how.members; ++member) {
    for (int row = 0; row < count; ++row) {
      const auto from = rows.subspan(index(row) * index(how.length) + index(member) * part, part);
      to = std::copy(from.begin(), from.end(), to);
    }
  }
}

void unpack(const transpose& how, std::span<const complex> packed, int first, int count,
            std::span<complex> to) {
  const complex* from = packed.data();
  for (int member = 0; member < how.members; ++member) {
    for (int row = first; row < first + count; ++row) {
      complex* at = to.data() + index(member) * how.to_member +
                    index(row / how.rows) * how.to_plane + index(row % how.rows) * how.to_row;
      for (int k = 0; k < how.part(); ++k, at += how.to_position) *at = *from++;
    }
  }
}

}  // namespace fft3d
