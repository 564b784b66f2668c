// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/cost.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "upwash/base/error.hpp"

namespace {

using namespace upwash;
using namespace upwash::model;

struct predicted {
  std::uint64_t bytes;
  double us;
};

void expect_predictions(const std::string& name, const std::vector<predicted>& rows) {
  const machine on = load_machine(name);
  const alpha_beta_cost& pieces = *on.levels.back().alpha_beta;
  for (const predicted& row : rows) {
    EXPECT_NEAR(alpha_beta_time(pieces, row.bytes).us(), row.us, 0.001 * row.us)
        << name << " " << row.bytes;
  }
}

TEST(cost, qsnet_pieces_at_the_sizes_of_kumar_table_2_7) {
  expect_predictions("lemieux", {{16, 11.128},
                                 {64, 11.512},
                                 {256, 13.048},
                                 {1024, 21.12},
                                 {4096, 43.768},
                                 {16384, 142.072},
                                 {65536, 535.288},
                                 {262144, 2108.152}});
}

TEST(cost, qsnet_pieces_change_at_288_and_2048_bytes) {
  expect_predictions("lemieux", {{287, 13.296}, {288, 17.44}, {2047, 26.235}, {2048, 27.384}});
}

TEST(cost, myrinet_maximum_at_the_sizes_of_kumar_table_2_13) {
  expect_predictions("tungsten", {{16, 9.242},
                                  {64, 9.366},
                                  {256, 9.866},
                                  {1024, 11.862},
                                  {4096, 22.084},
                                  {16384, 71.236},
                                  {65536, 267.844},
                                  {262144, 1054.276}});
}

TEST(cost, infiniband_fit_is_near_kumar_table_2_18) {
  const machine on = load_machine("infiniband");
  const std::vector<predicted> table = {{16, 4.8},    {64, 5.1},     {256, 6.9},  {1024, 9.7},
                                        {4096, 19.0}, {16384, 52.4}, {65536, 207}};
  for (const predicted& row : table) {
    EXPECT_NEAR(alpha_beta_time(*on.levels.back().alpha_beta, row.bytes).us() / row.us, 1, 0.14);
  }
}

TEST(cost, narayanan_table_1_1_betas) {
  const auto per_byte = [](const char* name) {
    return load_machine(name).levels.back().alpha_beta->pieces[0].beta_ns_per_byte;
  };
  EXPECT_DOUBLE_EQ(per_byte("summit"), 0.15);
  EXPECT_DOUBLE_EQ(per_byte("frontera"), 0.17);
}

TEST(cost, loggp_message_is_o_L_G_o) {
  const machine on =
      uniform_machine(duration::from_us(1), duration::from_ns(300), duration::from_ns(100), 0.5);
  EXPECT_EQ(message_time(on, 0, 101), duration::from_ns(300 + 1000 + 50 + 300));
  EXPECT_EQ(message_time(on, 0, 0), duration::from_ns(1600));
  EXPECT_EQ(cost_of_message(on, 0, 101).busy, duration::from_ns(150));
  EXPECT_EQ(pipelined_time(on, 0, 101), duration::from_ns(600)) << "bound by the processor";
  EXPECT_EQ(pipelined_time(on, 0, 2001), duration::from_ns(1100)) << "bound by the port";
}

TEST(cost, alpha_beta_alone_and_pipelined) {
  for (const char* name : {"lemieux", "tungsten"}) {
    const machine on = load_machine(name);
    const std::size_t outermost = on.levels.size() - 1;
    for (const std::uint64_t bytes : {16U, 1024U, 65536U}) {
      const duration total = alpha_beta_time(*on.levels.back().alpha_beta, bytes);
      EXPECT_EQ(message_time(on, outermost, bytes), total) << name;
      EXPECT_NEAR(pipelined_time(on, outermost, bytes).us(), total.us(), 1e-5) << name;
    }
  }
}

TEST(cost, level_without_costs_is_named) {
  machine on = uniform_machine({}, {}, {}, 0);
  on.levels[0].loggp.reset();
  try {
    (void)message_time(on, 0, 1);
    FAIL();
  } catch (const error& e) {
    EXPECT_STREQ(e.what(),
                 "machine uniform has no message costs for its level network (loggp or "
                 "alpha_beta)");
  }
}

TEST(cost, processor_work) {
  machine on = uniform_machine({}, {}, {}, 0);
  EXPECT_THROW((void)copy_time(on, 1), error);
  on.processor.copy_ns_per_byte = 0.25;
  EXPECT_EQ(copy_time(on, 1000), duration::from_ns(250));
  EXPECT_THROW((void)core_sharing_time(on, 1, {}, 2), error);
  on.processor.cores_per_node = 2;
  EXPECT_EQ(core_sharing_time(on, 5, duration::from_us(7), 2), duration()) << "no core is shared";
  on.processor.core_switch = duration::from_us(1);
  EXPECT_EQ(core_sharing_time(on, 5, {}, 8), duration::from_us(20));
  EXPECT_EQ(core_sharing_time(on, 5, duration::from_us(7), 8), duration::from_us(20 + 3 * 7));
}

}  // namespace
