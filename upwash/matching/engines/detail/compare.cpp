// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/engines/detail/compare.hpp"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();  // where vectors need more than the compiler's default, as on ARM
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

std::uint32_t next_fitting(const key_rows& keys, std::uint32_t from, std::uint32_t end,
                           const envelope& wanted) noexcept {
  const hn::CappedTag<std::int32_t, lanes> d;
  const auto width = static_cast<std::uint32_t>(hn::Lanes(d));
  const auto context = hn::Set(d, static_cast<std::int32_t>(wanted.context));
  const auto source = hn::Set(d, wanted.source);
  const auto tag = hn::Set(d, wanted.tag);
  const auto zero = hn::Zero(d);
  // The sign bit of either makes a field wild.
  const auto fits = [&](const std::int32_t* row, auto value) {
    const auto held = hn::LoadU(d, row);
    return hn::Or(hn::Eq(held, value), hn::Lt(hn::Or(held, value), zero));
  };
  for (; from < end; from += lanes) {
    auto any = fits(keys.tags + from, tag);
    for (std::uint32_t i = width; i < lanes; i += width) {
      any = hn::Or(any, fits(keys.tags + from + i, tag));
    }
    if (HWY_LIKELY(hn::AllFalse(d, any))) continue;
    for (std::uint32_t i = 0; i < lanes; i += width) {
      auto all = hn::And(fits(keys.tags + from + i, tag), fits(keys.sources + from + i, source));
      all = hn::And(all, hn::Eq(hn::LoadU(d, keys.contexts + from + i), context));
      const std::intptr_t hit = hn::FindFirstTrue(d, all);
      if (hit >= 0) return from + i + static_cast<std::uint32_t>(hit);
    }
  }
  return end;
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
HWY_AFTER_NAMESPACE();
