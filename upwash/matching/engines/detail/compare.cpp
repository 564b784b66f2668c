// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/engines/detail/compare.hpp"

#include <hwy/highway.h>

namespace upwash::matching::detail {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// The first place from `from` on for which `hits(vector)` is true; four vectors at a time.
template <class Hits>
std::uint32_t first_hit(const std::uint16_t* prints, std::uint32_t from, std::uint32_t end,
                        Hits hits) noexcept {
  const hn::CappedTag<std::uint16_t, 16> d;
  const auto width = static_cast<std::uint32_t>(hn::Lanes(d));
  static_assert(hn::MaxLanes(d) * 4 <= slack);
  for (; from < end; from += 4 * width) {
    const std::uint16_t* at = prints + from;
    const auto a = hits(hn::LoadU(d, at));
    const auto b = hits(hn::LoadU(d, at + width));
    const auto c = hits(hn::LoadU(d, at + 2 * width));
    const auto e = hits(hn::LoadU(d, at + 3 * width));
    if (HWY_LIKELY(hn::AllFalse(d, hn::Or(hn::Or(a, b), hn::Or(c, e))))) continue;
    const decltype(a) each[] = {a, b, c, e};
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::intptr_t hit = hn::FindFirstTrue(d, each[i]);
      if (hit >= 0) return from + i * width + static_cast<std::uint32_t>(hit);
    }
  }
  return end;
}

}  // namespace

std::uint32_t fitting_lanes(const key_rows& keys, const envelope& wanted) noexcept {
  const hn::CappedTag<std::int32_t, lanes> d;
  const auto width = static_cast<std::uint32_t>(hn::Lanes(d));
  const auto zero = hn::Zero(d);
  const auto field = [&](const std::int32_t* row, std::int32_t value) {
    const auto held = hn::Load(d, row);
    // The sign bit of either makes the field wild.
    const auto wild = hn::Lt(hn::Or(held, hn::Set(d, value)), zero);
    return hn::Or(hn::Eq(held, hn::Set(d, value)), wild);
  };
  std::uint32_t fits = 0;
  for (std::uint32_t i = 0; i < lanes; i += width) {
    auto lane = field(keys.tags + i, wanted.tag);
    if (hn::AllFalse(d, lane)) continue;
    lane = hn::And(lane, field(keys.sources + i, wanted.source));
    const auto context = hn::Set(d, static_cast<std::int32_t>(wanted.context));
    lane = hn::And(lane, hn::Eq(hn::Load(d, keys.contexts + i), context));
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, lane, bits);
    fits |= (static_cast<std::uint32_t>(bits[0]) | (static_cast<std::uint32_t>(bits[1]) << 8U))
            << i;
  }
  return fits;
}

std::uint32_t next_equal(const std::uint16_t* prints, std::uint32_t from, std::uint32_t end,
                         std::uint16_t wanted) noexcept {
  const hn::CappedTag<std::uint16_t, 16> d;
  const auto w = hn::Set(d, wanted);
  return first_hit(prints, from, end, [&](auto held) { return hn::Eq(held, w); });
}

std::uint32_t next_of_four(const std::uint16_t* prints, std::uint32_t from, std::uint32_t end,
                           const std::uint16_t* wanted) noexcept {
  const hn::CappedTag<std::uint16_t, 16> d;
  const auto w0 = hn::Set(d, wanted[0]);
  const auto w1 = hn::Set(d, wanted[1]);
  const auto w2 = hn::Set(d, wanted[2]);
  const auto w3 = hn::Set(d, wanted[3]);
  return first_hit(prints, from, end, [&](auto held) {
    return hn::Or(hn::Or(hn::Eq(held, w0), hn::Eq(held, w1)),
                  hn::Or(hn::Eq(held, w2), hn::Eq(held, w3)));
  });
}

}  // namespace upwash::matching::detail
