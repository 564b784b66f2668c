// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Orders that Nishtala 2009 measured on its machines, by the model on machine files that have
// public or assumed constants: trends, never times.
#include <gtest/gtest.h>

#include <algorithm>

#include "upwash/collective/candidates.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;

constexpr std::uint64_t most_steps = 4'000'000;

class nishtala_2009 : public testing::Test {
 protected:
  nishtala_2009() { add_algorithms(all_); }

  struct cell {
    const char* on;
    kind what;
    int ranks;
    std::uint64_t bytes;
  };
  [[nodiscard]] double us(const cell& of, std::string_view algorithm) const {
    const predictor by{load_machine(of.on)};
    return by.predict(all_.named(of.what, algorithm), call(of), most_steps)
        .time.value_or(duration::max())
        .us();
  }
  /// Between calls that nobody waits for: what the busiest processor spends.
  [[nodiscard]] double busy_us(const cell& of, std::string_view algorithm) const {
    const predictor by{load_machine(of.on)};
    problem loose = call(of);
    loose.overlapped = true;
    return by.predict(all_.named(of.what, algorithm), loose, most_steps)
        .time.value_or(duration::max())
        .us();
  }
  [[nodiscard]] double knomial(const cell& of, int radix) const {
    return us(of, "knomial:k=" + std::to_string(radix));
  }

 private:
  [[nodiscard]] static problem call(const cell& of) {
    problem made{.of = of.what, .ranks = of.ranks, .bytes = of.bytes};
    made.element_bytes = 8;
    made.ranks_per_node = load_machine(of.on).ranks_in(level_kind::node);
    return made;
  }

  registry all_;
};

}  // namespace

TEST_F(nishtala_2009, broadcast_on_the_xt4_is_best_4_nomial_below_2_kib) {
  for (const std::uint64_t bytes : {8, 128, 1024}) {
    const cell small{"xt4", kind::broadcast, 2048, bytes};
    const double four = knomial(small, 4);
    for (const int other : {2, 8, 16, 32}) EXPECT_LT(four, knomial(small, other)) << bytes;
  }
}

TEST_F(nishtala_2009, broadcast_on_the_xt4_wants_another_tree_for_32_kib) {
  const cell large{"xt4", kind::broadcast, 2048, 32768};
  EXPECT_LT(us(large, "double_tree"), knomial(large, 4));
  EXPECT_LT(knomial(large, 2), knomial(large, 4));
}

TEST_F(nishtala_2009, trees_on_the_constellation_are_good_with_radix_4_and_8) {
  for (const kind what : {kind::broadcast, kind::reduce}) {
    for (const int ranks : {1024, 2048}) {
      const cell small{"constellation", what, ranks, 8};
      const double best =
          std::min({knomial(small, 2), knomial(small, 4), knomial(small, 8), knomial(small, 16)});
      EXPECT_LT(knomial(small, 4), 1.05 * best) << ranks;
      EXPECT_LT(knomial(small, 8), 1.15 * best) << ranks;
      EXPECT_GT(knomial(small, 2), 1.3 * best) << ranks;
    }
  }
}

TEST_F(nishtala_2009, reduce_on_the_xt4_is_faster_4_nomial_than_8_nomial) {
  const cell small{"xt4", kind::reduce, 1024, 8};
  EXPECT_GT(knomial(small, 8), 1.1 * knomial(small, 4));
}

TEST_F(nishtala_2009, loose_synchronization_gains_more_the_smaller_a_broadcast_is) {
  const auto gain = [&](std::uint64_t bytes) {
    const cell of{"xt4", kind::broadcast, 1024, bytes};
    const double barrier = us({"xt4", kind::barrier, 1024, 0}, "dissemination");
    return (2 * barrier + knomial(of, 4)) / busy_us(of, "knomial:k=4");
  };
  EXPECT_GT(gain(8), 9);  // 12 were measured
  EXPECT_GT(gain(8), 1.3 * gain(1024));
}

TEST_F(nishtala_2009, small_exchanges_of_1024_cores_are_combined_with_a_large_radix) {
  const cell small{"xt4", kind::all_to_all, 1024, 8};
  const double combined = std::min(us(small, "bruck:k=8"), us(small, "bruck:k=16"));
  EXPECT_LT(combined, us(small, "bruck:k=2"));
  EXPECT_LT(combined, 0.2 * us(small, "direct"));
}

TEST_F(nishtala_2009, small_gathers_to_all_are_best_by_dissemination_or_its_cube) {
  const cell small{"xt5", kind::all_gather, 1536, 8};
  const double best = us(small, "dissemination");
  for (const char* other : {"ring", "direct", "k_prefix", "mesh2d", "neighbor_exchange"}) {
    EXPECT_LT(best, us(small, other)) << other;
  }
}

TEST_F(nishtala_2009, scatters_are_best_by_trees_of_a_middle_radix_until_the_root_limits) {
  const cell small{"xt5", kind::scatter, 1536, 128};
  EXPECT_LT(knomial(small, 4), knomial(small, 2));
  EXPECT_LT(knomial(small, 4), knomial(small, 32));
  EXPECT_LT(knomial(small, 4), 0.2 * us(small, "flat"));
  const cell large{"xt5", kind::scatter, 1536, 8192};
  EXPECT_LT(us(large, "flat"), 2 * knomial(large, 4));
}
