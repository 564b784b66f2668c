// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The times that the equations of Kumar 2005, chapters 3 and 4, give for schedules that send as
// they assume: priced on machines of alpha + m beta and nothing else, equal to the picosecond.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "upwash/collective/algorithms/all_gathers.hpp"
#include "upwash/collective/algorithms/direct_exchange.hpp"
#include "upwash/collective/algorithms/mesh_all_gather.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all.hpp"
#include "upwash/collective/algorithms/sparse_exchange.hpp"
#include "upwash/schedule/price.hpp"

namespace {

using namespace upwash;
using namespace upwash::schedule;
using collective::direct_exchange;
using collective::direct_stages;
using collective::hypercube_all_gather;
using collective::k_prefix_all_gather;
using collective::k_shift_all_gather;
using collective::mesh_all_gather;
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
    return generator(k_prefix_all_gather(ranks, rank, bytes, k, 0, true));
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

namespace {

/// The time of an all-gather whose blocks go from NIC memory where they are sent more than once.
template <class Algorithm>
duration from_nic(int ranks, const constants& with, const constants& nic, const Algorithm& steps) {
  machine on = uniform_machine({}, {}, {}, 0);
  on.levels[0].send_overhead.reset();
  on.levels[0].receive_overhead.reset();
  on.levels[0].alpha_beta =
      alpha_beta_cost{{}, {{0, duration::from_us(with.alpha_us), with.beta_ns}}};
  on.nic.memory_beta_ns_per_byte = on.nic.memory_copy_ns_per_byte = nic.beta_ns;
  price_options options;
  options.free_where_absent = options.from_nic_memory = true;
  transfer_rules rules;
  rules.eager_bytes = std::uint64_t{1} << 50U;
  return price(
             ranks, [&](int rank) { return generator(steps(rank)); }, on, rules, options)
      .completion;
}

/// QsNet with the rate of table 2.6 from NIC memory, and into it.
constexpr constants elan{11, 3.28};

duration copied(std::uint64_t bytes) {
  return duration::from_ns(static_cast<double>(bytes) * elan.beta_ns);
}

}  // namespace

// (P-1)(alpha + m beta_em) + m delta: prefix-send copies its block once.
TEST(paper_times, of_equation_4_4) {
  for (const int ranks : {2, 8, 64, 256}) {
    for (const std::uint64_t m : {76, 262'144}) {
      const duration time = from_nic(ranks, qsnet, elan, [&](int rank) {
        return direct_exchange(
            ranks, rank, m,
            {direct_stages::partners::paired, direct_stages::payload::same_for_all, 1}, true);
      });
      const duration wanted = ranks == 2 ? qsnet.message(m)  // sent but once: from main memory
                                         : elan.message(m) * (ranks - 1) + copied(m);
      EXPECT_EQ(time, wanted) << ranks << ", " << m;
    }
  }
}

// At most (P-1)(alpha + m beta_em) + P/k m delta: each of the P/k blocks that a rank hands round
// its partition is copied once; copies of blocks that wait for others hide behind them.
TEST(paper_times, of_equation_4_5_from_nic_memory) {
  constexpr std::uint64_t m = 262'144;
  for (const int ranks : {16, 64, 256}) {
    const duration time = from_nic(ranks, qsnet, elan, [&](int rank) {
      return k_prefix_all_gather(ranks, rank, m, 8, 0, true);
    });
    const duration sends = elan.message(m) * (ranks - 1);
    EXPECT_LE(time, sends + copied(m) * (ranks / 8) + qsnet.message(m)) << ranks;
    EXPECT_GE(time, sends + copied(m)) << ranks;
    EXPECT_LT(time, k_prefix(ranks, m, 8, qsnet)) << ranks;
  }
}

// About 2 sqrt P alpha + P m beta_em + sqrt P m delta: the 2-D mesh copies its block, then its
// row's.
TEST(paper_times, of_equation_3_14) {
  constexpr std::uint64_t m = 4096;
  for (const int side : {4, 8, 16}) {
    const int ranks = side * side;
    const auto wide = static_cast<std::uint64_t>(side);
    const duration time = from_nic(
        ranks, qsnet, elan, [&](int rank) { return mesh_all_gather(ranks, rank, m, 2, true); });
    const duration sends = elan.message(m) * (side - 1) + elan.message(wide * m) * (side - 1);
    EXPECT_EQ(time, sends + copied(m) + copied(wide * m)) << ranks;
  }
}

// About 3 cbrt P alpha + P m beta_em + cbrt(P)^2 m delta: the 3-D mesh.
TEST(paper_times, of_equation_3_15) {
  constexpr std::uint64_t m = 4096;
  for (const int side : {3, 4, 6}) {
    const int ranks = side * side * side;
    const auto wide = static_cast<std::uint64_t>(side);
    const duration time = from_nic(
        ranks, qsnet, elan, [&](int rank) { return mesh_all_gather(ranks, rank, m, 3, true); });
    duration wanted;
    for (const std::uint64_t bytes : {m, wide * m, wide * wide * m}) {
      wanted += elan.message(bytes) * (side - 1) + copied(bytes);
    }
    EXPECT_EQ(time, wanted) << ranks;
  }
}

// At most (P-1)(alpha + m beta_em) + P/k m delta, as k-prefix: k-shift.
TEST(paper_times, of_equation_4_6) {
  constexpr std::uint64_t m = 262'144;
  for (const int ranks : {16, 64, 100, 256}) {
    const duration time = from_nic(
        ranks, qsnet, elan, [&](int rank) { return k_shift_all_gather(ranks, rank, m, 8, true); });
    const duration sends = elan.message(m) * (ranks - 1);
    EXPECT_LE(time, sends + copied(m) * ((ranks + 7) / 8) + qsnet.message(m) * 2) << ranks;
    EXPECT_GE(time, sends) << ranks;
  }
}

// 2(ceil sqrt P - 1) alpha + 2 P m beta, and 3 ceil cbrt P alpha + (3 P + ceil(cbrt P)^2) m beta,
// where there are holes. They do not come out: the equations count what a rank sends, while all
// wait for the ranks below holes, which send more (longer by a third), and a grid that is not full
// has shorter sides than the equations say (docs/papers.md: differs). What is held here is how far
// the prices are off: from -28 to +36 %, and from -44 to +3 %.
TEST(paper_times, of_equations_3_4_and_3_8_are_missed_by_a_third) {
  for (const constants& with : others) {
    for (const int ranks : {7, 12, 60, 250, 513, 1000}) {
      constexpr std::uint64_t m = 76;
      const double p = ranks;
      const double side = std::ceil(std::sqrt(p));
      const double edge = std::ceil(std::cbrt(p));
      const auto off = [&](const duration& priced, double messages, double blocks) {
        const double wanted_us =
            messages * with.alpha_us + blocks * static_cast<double>(m) * with.beta_ns / 1000;
        return priced.us() / wanted_us - 1;
      };
      const double flat = off(mesh(ranks, m, 2, with), 2 * (side - 1), 2 * p);
      EXPECT_GT(flat, -0.285) << ranks;
      EXPECT_LT(flat, 0.36) << ranks;
      const double cube = off(mesh(ranks, m, 3, with), 3 * edge, 3 * p + edge * edge);
      EXPECT_GT(cube, -0.44) << ranks;
      EXPECT_LT(cube, 0.035) << ranks;
    }
  }
}

// (log2 P - zeta) alpha + (P2 - 1) m beta + (2^zeta - 1)(alpha + P2 m beta_em) + P2 m delta: stages
// of the cube from main memory, the direct ones from that of the NIC.
TEST(paper_times, of_equation_3_16) {
  constexpr std::uint64_t m = 4096;
  for (const int log : {4, 6, 8}) {
    for (const int zeta : {2, 3}) {
      const int ranks = 1 << log;
      const int doubled = log - zeta;
      const std::uint64_t whole = (std::uint64_t{1} << doubled) * m;
      const duration time = from_nic(ranks, qsnet, elan, [&](int rank) {
        return hypercube_all_gather(ranks, rank, m, zeta, true);
      });
      duration wanted = elan.message(whole) * ((1 << zeta) - 1) + copied(whole);
      for (int stage = 0; stage < doubled; ++stage) {
        wanted += qsnet.message(m << static_cast<unsigned>(stage));
      }
      EXPECT_EQ(time, wanted) << ranks << ", zeta " << zeta;
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
