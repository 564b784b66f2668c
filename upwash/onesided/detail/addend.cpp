// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/detail/addend.hpp"

namespace upwash::detail {
namespace {

/// Two parts one behind the other, as a std::complex lies in memory. Its own product looks for
/// infinities, which costs more than the rest.
template <class Part>
struct pair_of {
  Part re;
  Part im;
};

/// Sums of integers wrap around.
template <class T>
[[gnu::always_inline]] inline T plus_scaled(T y, T scale, T x) {
  return y + scale * x;
}
template <class Part>
[[gnu::always_inline]] inline pair_of<Part> plus_scaled(pair_of<Part> y, pair_of<Part> scale,
                                                        pair_of<Part> x) {
  return {y.re + (scale.re * x.re - scale.im * x.im), y.im + (scale.re * x.im + scale.im * x.re)};
}

template <class T>
[[gnu::always_inline]] inline void add_each(std::byte* __restrict y, const std::byte* __restrict x,
                                            std::size_t count, const scale_bytes& scale) {
  T by;
  std::memcpy(&by, scale.data(), sizeof by);
  for (std::size_t i = 0; i < count; ++i) {
    T sum;
    T each;
    std::memcpy(&sum, y + i * sizeof sum, sizeof sum);
    std::memcpy(&each, x + i * sizeof each, sizeof each);
    sum = plus_scaled(sum, by, each);
    std::memcpy(y + i * sizeof sum, &sum, sizeof sum);
  }
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2")]] void add_wide(std::byte* y, const std::byte* x, std::size_t count,
                                      const scale_bytes& scale) {
  add_each<T>(y, x, count, scale);
}
#endif

/// Wider registers give the same sums: no product is contracted with its sum in them.
template <class T>
void add(std::byte* y, const std::byte* x, std::size_t count, const scale_bytes& scale) {
#if defined(__x86_64__)
  if (count >= 8 && __builtin_cpu_supports("avx2")) return add_wide<T>(y, x, count, scale);
#endif
  add_each<T>(y, x, count, scale);
}

constexpr std::array<addend_facts, addend_count> facts{{
    {"int32", 4, 4, &add<std::uint32_t>},
    {"int64", 8, 8, &add<std::uint64_t>},
    {"float", 4, 4, &add<float>},
    {"double", 8, 8, &add<double>},
    {"complex<float>", 8, 4, &add<pair_of<float>>},
    {"complex<double>", 16, 8, &add<pair_of<double>>},
}};

}  // namespace

const addend_facts& facts_of(addend kind) noexcept { return facts[static_cast<std::size_t>(kind)]; }

}  // namespace upwash::detail
