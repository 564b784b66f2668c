// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hosts of Slurm's variables.
#include "upwash/launch/allocation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "upwash/base/error.hpp"

namespace {

using namespace upwash;

using variables = std::map<std::string, std::string>;

/// "a:2 b:1", or what is wrong.
std::string hosts_of(const variables& set) {
  try {
    std::string all;
    const auto hosts = launch::allocated_hosts([&](const char* name) -> const char* {
      const auto found = set.find(name);
      return found == set.end() ? nullptr : found->second.c_str();
    });
    for (const launch::host_share& each : hosts) {
      all += fmt::format("{}{}:{}", all.empty() ? "" : " ", each.name, each.slots);
    }
    return all;
  } catch (const error& refusal) {
    return refusal.what();
  }
}

TEST(allocation, hosts_have_as_many_slots_as_tasks) {
  EXPECT_EQ(hosts_of({{"SLURM_JOB_NODELIST", "a"}}), "a:1");
  EXPECT_EQ(hosts_of({{"SLURM_JOB_NODELIST", "a,b"}, {"SLURM_TASKS_PER_NODE", "2(x2)"}}),
            "a:2 b:2");
  EXPECT_EQ(hosts_of({{"SLURM_JOB_NODELIST", "n[1-3],b"}, {"SLURM_TASKS_PER_NODE", "4,2(x2),1"}}),
            "n1:4 n2:2 n3:2 b:1");
  EXPECT_EQ(hosts_of({{"SLURM_JOB_NODELIST", "n[08-10,2]"}, {"SLURM_JOB_CPUS_PER_NODE", "64(x4)"}}),
            "n08:64 n09:64 n10:64 n2:64");
  EXPECT_EQ(
      hosts_of({{"SLURM_JOB_NODELIST", "r[1-2]n[1-2]x,c"}, {"SLURM_TASKS_PER_NODE", "1(x5)"}}),
      "r1n1x:1 r1n2x:1 r2n1x:1 r2n2x:1 c:1");
}

TEST(allocation, what_is_not_understood_is_named) {
  EXPECT_EQ(hosts_of({}),
            "--hosts allocation: no job of Slurm is around this (SLURM_JOB_NODELIST is not set); "
            "name the hosts, as a:8,b:8 or @FILE");
  const auto refused = [](const std::string& list, const std::string& left) {
    EXPECT_EQ(
        hosts_of({{"SLURM_JOB_NODELIST", list}}),
        fmt::format("SLURM_JOB_NODELIST={}: not understood at '{}'; name the hosts by --hosts "
                    "a:8,b:8",
                    list, left));
  };
  refused("", "");
  refused("a,,b", ",b");
  refused("n[1-", "");
  refused("n[3-1]", "]");
  refused("n[-1]", "-1]");
  refused("n[1;2]", ";2]");
  refused("n[0-99999999]", "]");
  refused("n[1-65536]m[1-65536]", "]");
  refused("n[99999999999]", "99999999999]");
  EXPECT_EQ(hosts_of({{"SLURM_JOB_NODELIST", "a"}, {"SLURM_TASKS_PER_NODE", "2(x"}}),
            "SLURM_TASKS_PER_NODE=2(x: not understood at ''; name the hosts by --hosts a:8,b:8");
  EXPECT_EQ(hosts_of({{"SLURM_JOB_NODELIST", "a"}, {"SLURM_TASKS_PER_NODE", "0"}}),
            "SLURM_TASKS_PER_NODE=0: not understood at ''; name the hosts by --hosts a:8,b:8");
  EXPECT_EQ(
      hosts_of({{"SLURM_JOB_NODELIST", "a,b"}, {"SLURM_TASKS_PER_NODE", "2(x3)"}}),
      "SLURM_JOB_NODELIST=a,b has 2 hosts, SLURM_TASKS_PER_NODE=2(x3) is of 3; name the hosts "
      "by --hosts a:8,b:8");
}

}  // namespace
