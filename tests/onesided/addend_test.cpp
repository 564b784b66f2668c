// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// y += scale * x against the plain expression; under the locks of stripes by several threads.
#include "upwash/onesided/detail/addend.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/onesided/detail/owner_locks.hpp"

namespace {

using namespace upwash;
using detail::addend_of;
using detail::facts_of;

template <class T>
T drawn(random_stream& draw) {
  const auto whole = [&] { return static_cast<int>(draw.below(2001)) - 1000; };
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(whole());
  } else {
    const auto re = static_cast<typename T::value_type>(whole());
    return {re, static_cast<typename T::value_type>(whole())};
  }
}

template <class T>
class addends : public testing::Test {};
using addend_types = testing::Types<std::int32_t, std::int64_t, long long, float, double,
                                    std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(addends, addend_types);

}  // namespace

TYPED_TEST(addends, add_is_the_plain_expression) {
  using type = TypeParam;
  const detail::addend_facts& what = facts_of(addend_of<type>());
  ASSERT_EQ(what.size, sizeof(type));
  ASSERT_EQ(what.alignment, alignof(type));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    random_stream draw(11, seed);
    const std::size_t count = draw.below(70);
    const std::size_t shift = draw.below(9);  // x need not be aligned
    const type scale = drawn<type>(draw);
    std::vector<type> y(count + 2);
    std::vector<type> x(count);
    for (auto& each : y) each = drawn<type>(draw);
    for (auto& each : x) each = drawn<type>(draw);
    std::vector<type> wanted = y;
    for (std::size_t i = 0; i < count; ++i) wanted[i + 1] += scale * x[i];
    std::vector<std::byte> shifted(count * sizeof(type) + shift);
    if (count != 0) std::memcpy(shifted.data() + shift, x.data(), count * sizeof(type));
    what.add(reinterpret_cast<std::byte*>(y.data() + 1), shifted.data() + shift, count,
             detail::scale_of(scale));
    EXPECT_EQ(y, wanted);
  }
}

TEST(addend, integers_wrap_around) {
  std::array<std::int64_t, 1> y{INT64_MAX};
  const std::array<std::int64_t, 1> x{3};
  facts_of(detail::addend::int64)
      .add(reinterpret_cast<std::byte*>(y.data()), reinterpret_cast<const std::byte*>(x.data()), 1,
           detail::scale_of(std::int64_t{2}));
  EXPECT_EQ(y[0], INT64_MIN + 5);
}

/// Complex numbers that lie across the borders of stripes, added to by several threads.
TEST(addend, threads_lose_no_sum) {
  using type = std::complex<double>;
  constexpr std::size_t elements = 3000;
  constexpr int threads = 4;
  constexpr int rounds = 3000;
  std::vector<detail::stripe_lock> locks(detail::stripe_locks);
  std::vector<double> parts(1 + 2 * elements);  // a multiple of 8, not of 16
  const detail::scale_bytes scale = detail::scale_of(type(0, 2));
  auto* base = reinterpret_cast<std::byte*>(parts.data());
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t) {
      all.emplace_back([&, t] {
        random_stream draw(12, static_cast<std::uint64_t>(t));
        const std::vector<type> x(elements, type(1, 3));
        for (int i = 0; i < rounds; ++i) {
          // Two halves, cut at any element, in any order.
          const std::size_t cut = draw.below(elements + 1);
          detail::locked_adder adder(locks.data(), 5, facts_of(detail::addend::complex64), scale);
          const auto half = [&](std::size_t from, std::size_t to) {
            adder.add(base + 8 + from * 16, 8 + from * 16,
                      reinterpret_cast<const std::byte*>(x.data() + from), (to - from) * 16);
          };
          half(cut, elements);
          half(0, cut);
        }
      });
    }
  }
  EXPECT_EQ(parts[0], 0);
  for (std::size_t i = 0; i < elements; ++i) {
    ASSERT_EQ(parts[1 + 2 * i], -6.0 * threads * rounds) << i;
    ASSERT_EQ(parts[2 + 2 * i], 2.0 * threads * rounds) << i;
  }
  for (const auto& each : locks) EXPECT_EQ(each.taken, 0U);
}
