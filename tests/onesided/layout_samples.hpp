// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random layouts whose runs do not overlap at either end, and their bytes by the definition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/onesided/layout.hpp"

namespace upwash::test {

/// Of either kind.
struct any_layout {
  bool is_list = false;
  strided rows;
  std::vector<segment> list;
  [[nodiscard]] layout view() const { return is_list ? layout(list) : layout(rows); }
};

/// From each byte at the local end to its place at the remote end, in order.
using byte_pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

inline void add_level(const strided& of, int level, std::uint64_t local, std::uint64_t remote,
                      byte_pairs& all) {
  if (level < 0) {
    for (std::int64_t i = 0; i < of.bytes; ++i) {
      all.emplace_back(local + static_cast<std::uint64_t>(i),
                       remote + static_cast<std::uint64_t>(i));
    }
    return;
  }
  const stride_level& each = of.level[static_cast<std::size_t>(level)];
  for (std::int64_t i = 0; i < each.count; ++i) {
    add_level(of, level - 1, local + static_cast<std::uint64_t>(i * each.local_stride),
              remote + static_cast<std::uint64_t>(i * each.remote_stride), all);
  }
}

inline byte_pairs bytes_of(const any_layout& of) {
  byte_pairs all;
  if (!of.is_list) {
    add_level(of.rows, of.rows.levels - 1, 0, 0, all);
    return all;
  }
  for (const segment& each : of.list) {
    for (std::uint64_t i = 0; i < each.bytes; ++i) {
      all.emplace_back(each.local + i, each.remote + i);
    }
  }
  return all;
}

/// Strides, counts and lengths are multiples of `element`; both ends stay below `most` bytes.
inline any_layout draw_strided(random_stream& draw, std::uint64_t most, std::uint64_t element) {
  any_layout made;
  strided& of = made.rows;
  const auto signed_of = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
  std::uint64_t local = draw.below(draw.below(4) == 0 ? most / 2 : 80) / element * element;
  std::uint64_t remote = local;
  of.bytes = signed_of(local);
  const auto wanted = static_cast<int>(draw.below(strided::most_levels + 1));
  for (int i = 0; i < wanted; ++i) {
    // Often adjacent to what is below, so that there is something to merge.
    const auto gap = [&] { return draw.below(3) == 0 ? 0 : draw.below(7) * element; };
    const stride_level each{signed_of(draw.below(10) == 0 ? 0 : 1 + draw.below(4)),
                            signed_of(local + gap()), signed_of(remote + gap())};
    const auto steps = static_cast<std::uint64_t>(std::max<std::int64_t>(each.count, 1) - 1);
    const std::uint64_t next_local = local + steps * static_cast<std::uint64_t>(each.local_stride);
    const std::uint64_t next_remote =
        remote + steps * static_cast<std::uint64_t>(each.remote_stride);
    if (next_local > most || next_remote > most) break;
    local = next_local;
    remote = next_remote;
    of.level[static_cast<std::size_t>(of.levels++)] = each;
  }
  return made;
}

inline any_layout draw_list(random_stream& draw, std::uint64_t most, std::uint64_t element) {
  any_layout made;
  made.is_list = true;
  std::uint64_t local = 0;
  std::uint64_t remote = 0;
  const std::uint64_t length = draw.below(3) == 0 ? most / 4 : 60;
  const std::uint64_t wanted = draw.below(80);
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const bool even = draw.below(3) != 0;  // often as long and as far as the one before
    if (!even && draw.below(2) == 0) {
      local += draw.below(5) * element;
      remote += draw.below(5) * element;
    }
    if (even) local += element;
    if (!even) bytes = draw.below(length) / element * element;
    if (std::max(local, remote) + bytes > most) break;
    made.list.push_back({local, remote, bytes});
    local += bytes;
    remote += bytes;
  }
  if (draw.below(2) == 0) {
    for (std::size_t i = made.list.size(); i > 1; --i) {
      std::swap(made.list[i - 1], made.list[draw.below(i)]);
    }
  }
  return made;
}

inline any_layout draw_layout(random_stream& draw, std::uint64_t most, std::uint64_t element = 1) {
  return draw.below(2) == 0 ? draw_list(draw, most, element) : draw_strided(draw, most, element);
}

}  // namespace upwash::test
