// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/harness/job_test.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/collective/choice.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/selector.hpp"

namespace {

using namespace upwash;
using collective::kind;

JOB_TEST(expected_times, are_the_prices_of_the_chosen_machine, .most_ranks = 8) {
  const auto prices = collective::make_model_selector("lemieux");
  collective::selector* const before = collective::set_selector(here, prices.get());
  for (const kind of : {kind::all_gather, kind::all_reduce, kind::broadcast}) {
    for (const std::uint64_t bytes : {std::uint64_t{8}, std::uint64_t{1} << 18U}) {
      const collective::call asked{.what = {.of = of, .bytes = bytes, .element_bytes = 8}};
      const auto expected = collective::expected_time_of(here.world(), asked);
      ASSERT_TRUE(expected.has_value());
      EXPECT_LE(expected->busy, expected->completion) << to_string(of) << " of " << bytes;
      EXPECT_EQ(expected->completion > duration(), here.size() > 1) << to_string(of);
    }
  }
  collective::set_selector(here, nullptr);
  const collective::call new_shape{
      .what = {.of = kind::all_gather, .bytes = 24, .element_bytes = 8}};
  EXPECT_FALSE(collective::expected_time_of(here.world(), new_shape).has_value())
      << "nothing prices it";
  collective::set_selector(here, before);
}

}  // namespace
