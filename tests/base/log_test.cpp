// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/log.hpp"

#include <gtest/gtest.h>

#include <string>

#include "upwash/base/error.hpp"
#include "upwash/base/process.hpp"

namespace {

using upwash::log_level;

class logging : public testing::Test {
 protected:
  void SetUp() override {
    upwash::set_log_level("warning");
    upwash::set_log_rank(-1);
  }

  template <class Body>
  static std::string written_by(Body body) {
    testing::internal::CaptureStderr();
    body();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(logging, line_names_rank_and_layer) {
  EXPECT_EQ(written_by([] { upwash::log(log_level::warning, "shm", "ring is full"); }),
            "upwash shm: ring is full\n");
  upwash::set_log_rank(3);
  EXPECT_EQ(written_by([] { upwash::log(log_level::error, "core", "100% {} lost"); }),
            "upwash[rank 3] core: 100% {} lost\n");
}

TEST_F(logging, the_rank_that_runs_wins_over_the_process) {
  upwash::set_log_rank(0);
  upwash::process::set_current_rank(5);
  EXPECT_EQ(written_by([] { upwash::log(log_level::error, "core", "x"); }),
            "upwash[rank 5] core: x\n");
  upwash::process::set_current_rank(-1);
  EXPECT_EQ(written_by([] { upwash::log(log_level::error, "core", "x"); }),
            "upwash[rank 0] core: x\n");
}

TEST_F(logging, threshold_decides) {
  EXPECT_TRUE(upwash::log_enabled(log_level::warning));
  EXPECT_FALSE(upwash::log_enabled(log_level::info));
  EXPECT_EQ(written_by([] { upwash::log(log_level::info, "core", "quiet"); }), "");
  upwash::set_log_level("off");
  EXPECT_FALSE(upwash::log_enabled(log_level::error));
}

TEST_F(logging, unknown_level_names_the_valid_ones) {
  try {
    upwash::set_log_level("loud");
    FAIL() << "no error";
  } catch (const upwash::error& failure) {
    EXPECT_STREQ(failure.what(), R"(log: "loud" is not one of trace|debug|info|warning|error|off)");
    EXPECT_EQ(failure.exit_status(), 2);
  }
}

}  // namespace
