// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Limits of control groups, read from folders that are made for the test.
#include "upwash/base/group_limits.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace upwash {
namespace {

namespace fs = std::filesystem;

class groups : public testing::Test {
 protected:
  groups() : root(fs::temp_directory_path() / ("upwash-groups-" + std::to_string(getpid()))) {
    fs::create_directories(root);
  }
  ~groups() override { fs::remove_all(root); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }

  fs::path root;
};

TEST_F(groups, none_limit_nothing) {
  const control_groups found("0::/\n", root);
  EXPECT_EQ(found.free_bytes(), UINT64_MAX);
  EXPECT_GT(found.processors(), 1e6);
}

TEST_F(groups, version_2_limits_by_the_tightest_around) {
  write("job/memory.max", "max\n");
  write("job/memory.current", "5000\n");
  write("job/cpu.max", "150000 100000\n");
  write("job/step/memory.max", "4000\n");
  write("job/step/memory.current", "3000\n");
  write("job/step/memory.stat", "anon 2000\ninactive_file 500\n");
  write("job/step/cpu.max", "max 100000\n");
  const control_groups found("0::/job/step\n", root);
  EXPECT_EQ(found.free_bytes(), 1500U);
  EXPECT_DOUBLE_EQ(found.processors(), 1.5);
}

TEST_F(groups, version_1_limits_each_by_its_mount) {
  write("memory/a/memory.limit_in_bytes", "209715200\n");
  write("memory/a/memory.usage_in_bytes", "9715200\n");
  write("memory/a/memory.stat", "total_inactive_file 1000000\n");
  write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("memory/memory.usage_in_bytes", "100\n");
  write("cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
  write("cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
  write("cpu,cpuacct/a/cpu.cfs_quota_us", "50000\n");
  write("cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  const control_groups found("5:memory:/a/b\n3:cpu,cpuacct:/a/b\n1:name=x:/\n", root);
  EXPECT_EQ(found.free_bytes(), 201'000'000U);
  EXPECT_DOUBLE_EQ(found.processors(), 0.5);
}

TEST_F(groups, count_who_was_killed_for_lack_of_memory) {
  write("job/memory.events", "low 0\noom 7\noom_kill 2\n");
  write("job/step/memory.events", "oom_kill 1\noom_group_kill 5\n");
  write("memory/a/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
  EXPECT_EQ(control_groups("0::/job/step\n", root).killed(), 3U);
  EXPECT_EQ(control_groups("4:memory:/a\n", root).killed(), 4U);
  EXPECT_EQ(control_groups("0::/elsewhere\n", root).killed(), 0U);
}

TEST_F(groups, a_path_that_only_the_host_sees_leaves_the_root) {
  write("memory.max", "1000\n");
  write("memory.current", "400\n");
  write("memory/memory.limit_in_bytes", "500\n");
  write("memory/memory.usage_in_bytes", "600\n");
  EXPECT_EQ(control_groups("0::/docker/0123\n", root).free_bytes(), 600U);
  EXPECT_EQ(control_groups("0::/docker/0123\n4:memory:/docker/0123\n", root).free_bytes(), 0U);
}

}  // namespace
}  // namespace upwash
