// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The times that the equations of Kumar 2005, chapters 3 and 4, give for schedules that send as
// they assume: priced on machines of alpha + m beta and nothing else, equal to the picosecond.
#include <gtest/gtest.h>

#include <string>

#include "upwash/collective/algorithms/k_prefix_all_gather.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all.hpp"
#include "upwash/collective/algorithms/neighbor_send.hpp"
#include "upwash/schedule/price.hpp"

namespace {

using namespace upwash;
using namespace upwash::schedule;
using collective::k_prefix_all_gather;
using collective::mesh_all_to_all;
using collective::neighbor_send;

struct constants {
  double alpha_us;
  double beta_ns;

  [[nodiscard]] duration message(std::uint64_t bytes) const {
    return duration::from_us(alpha_us) + duration::from_ns(static_cast<double>(bytes) * beta_ns);
  }
};

/// Kumar 2005, section 2.4: QsNet, Prediction-A.
constexpr constants qsnet{11, 8};
constexpr constants others[] = {qsnet, {9.2, 2.6}, {5.7, 4}};

duration priced(int ranks, function_ref<generator(int)> steps, const constants& with) {
  machine on = uniform_machine({}, {}, {}, 0);
  on.levels[0].send_overhead.reset();
  on.levels[0].receive_overhead.reset();
  on.levels[0].alpha_beta =
      alpha_beta_cost{{}, {{0, duration::from_us(with.alpha_us), with.beta_ns}}};
  price_options options;
  options.free_where_absent = true;
  transfer_rules rules;
  rules.eager_bytes = std::uint64_t{1} << 50U;
  return price(ranks, steps, on, rules, options).completion;
}

duration mesh(int ranks, std::uint64_t bytes, int dimensions, const constants& with) {
  const auto steps = [&](int rank) {
    return generator(mesh_all_to_all(ranks, rank, bytes, {dimensions}));
  };
  return priced(ranks, steps, with);
}

duration k_prefix(int ranks, std::uint64_t bytes, std::uint64_t k, const constants& with) {
  const auto steps = [&](int rank) {
    return generator(k_prefix_all_gather(ranks, rank, bytes, {k, 0}, true));
  };
  return priced(ranks, steps, with);
}

}  // namespace

// (P-1)(alpha + m beta): direct, as a cyclic exchange.
TEST(paper_times, of_equations_3_1_and_4_2) {
  for (const constants& with : others) {
    for (const int ranks : {2, 7, 64, 513, 1024}) {
      for (const std::uint64_t m : {8, 76, 476, 262'144}) {
        EXPECT_EQ(mesh(ranks, m, 1, with), with.message(m) * (ranks - 1)) << ranks << ", " << m;
      }
    }
  }
}

// 2(sqrt P - 1)(alpha + sqrt P m beta): the two-dimensional mesh without holes.
TEST(paper_times, of_equation_3_2) {
  for (const constants& with : others) {
    for (const int side : {2, 8, 32}) {
      const auto wide = static_cast<std::uint64_t>(side);
      EXPECT_EQ(mesh(side * side, 76, 2, with), with.message(wide * 76) * (2 * (side - 1)));
    }
  }
}

// 3(cbrt P - 1)(alpha + cbrt(P)^2 m beta): the cube without holes.
TEST(paper_times, of_equation_3_6) {
  for (const constants& with : others) {
    for (const int side : {2, 4, 8, 10}) {
      const auto wide = static_cast<std::uint64_t>(side);
      EXPECT_EQ(mesh(side * side * side, 76, 3, with),
                with.message(wide * wide * 76) * (3 * (side - 1)));
    }
  }
}

// (P-1)(alpha + m beta): the ring is k-prefix with k = 1; k-prefix itself from main memory, without
// the copy to the NIC.
TEST(paper_times, of_equations_4_3_and_4_5) {
  for (const constants& with : others) {
    for (const int ranks : {2, 8, 64, 256}) {
      for (const std::uint64_t m : {76, 262'144}) {
        EXPECT_EQ(k_prefix(ranks, m, 1, with), with.message(m) * (ranks - 1)) << ranks;
        EXPECT_EQ(k_prefix(ranks, m, 8, with), with.message(m) * (ranks - 1)) << ranks;
      }
    }
  }
}

// delta(alpha + m beta): many-to-many without combining, whatever the number of nodes.
TEST(paper_times, of_equations_3_20_and_3_24) {
  for (const constants& with : others) {
    for (const int ranks : {9, 64, 2048}) {
      for (const int degree : {1, 7, ranks - 1}) {
        const auto steps = [&](int rank) {
          return generator(neighbor_send(ranks, rank, degree, 476, false));
        };
        EXPECT_EQ(priced(ranks, steps, with), with.message(476) * degree)
            << ranks << ", " << degree;
      }
    }
  }
}

// Equations 3.1 and 3.2 for 1,024 nodes of QsNet: in milliseconds.
TEST(paper_times, of_exchanges_on_qsnet) {
  EXPECT_NEAR(mesh(1024, 76, 1, qsnet).us() / 1000, 11.875, 0.001);
  EXPECT_NEAR(mesh(1024, 76, 2, qsnet).us() / 1000, 1.8883, 0.0001);
  EXPECT_NEAR(mesh(1024, 1000, 1, qsnet).us() / 1000, 19.437, 0.001);
  EXPECT_NEAR(mesh(1024, 1000, 2, qsnet).us() / 1000, 16.554, 0.001);
  // They cross at alpha / beta, whatever the number of nodes.
  for (const int side : {8, 16, 32}) {
    EXPECT_LT(mesh(side * side, 1374, 2, qsnet), mesh(side * side, 1374, 1, qsnet));
    EXPECT_EQ(mesh(side * side, 1375, 2, qsnet), mesh(side * side, 1375, 1, qsnet));
  }
}
