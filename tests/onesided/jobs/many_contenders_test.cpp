// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Locks that 64 ranks want at once, many more than there are processors.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "tests/onesided/jobs/lock_contest.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/launch/launcher.hpp"

namespace {

using namespace upwash;

constexpr int contenders = test::sanitized ? 16 : 64;

/// All of them, at an owner that wants it too.
void contend_for_each_kind(job& here) {
  for (const lock_kind kind : test::kinds) {
    test::contend(here.world(), kind, 0, here.size() - 1, 2);
  }
}

std::unique_ptr<conduit::world> sim_world_of(const char* machine, bool remote_writes,
                                             std::uint64_t seed) {
  conduit::sim_options options;
  options.ranks = contenders;
  options.on = load_machine(machine);
  options.remote_writes = remote_writes;
  options.seed = seed;
  options.perturb = seed != 0;
  return conduit::make_sim_world(options);
}

void expect_no_error(conduit::world& world, void (*body)(job&)) {
  EXPECT_EQ(test::message_of(world, body), "no error");
}

class own_lines final : public launch::output_sink {
 public:
  void line(int /*rank*/, bool /*standard_error*/, std::string_view text) override { all += text; }
  std::string all;
};

constexpr std::uint64_t last_seed = test::sanitized ? 1 : 4;

}  // namespace

TEST(many_contenders, one_holds_the_lock_on_loopback) {
  for (std::uint64_t seed = 1; seed <= last_seed; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    conduit::loopback_options options;
    options.ranks = contenders;
    options.seed = seed;
    expect_no_error(*conduit::make_loopback_world(options), &contend_for_each_kind);
  }
}

TEST(many_contenders, one_holds_the_lock_on_sim) {
  for (const char* machine : {"laptop", "edr:ranks_a_node=2"}) {
    for (const bool remote_writes : {true, false}) {
      for (std::uint64_t seed = 0; seed <= last_seed; ++seed) {
        SCOPED_TRACE(machine + (", seed " + std::to_string(seed)));
        expect_no_error(*sim_world_of(machine, remote_writes, seed), &contend_for_each_kind);
      }
    }
  }
}

TEST(many_contenders, are_served_as_they_come) {
  for (std::uint64_t seed = 0; seed <= last_seed; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_no_error(*sim_world_of("edr:ranks_a_node=2", seed % 2 == 0, seed), [](job& here) {
      for (const lock_kind kind : test::kinds) {
        if (kind != lock_kind::test_and_set) test::ask_in_turn(here, kind, here.size() / 2);
      }
    });
  }
}

/// No case of its own: the test below starts it as so many processes.
JOB_TEST(many_contenders, in_processes, .on_shm = false, .on_sim = false, .on_packets = false,
         .on_direct = false, .on_loopback = false, .on_composite = false) {
  contend_for_each_kind(here);
}

TEST(many_contenders, one_holds_the_lock_on_shm) {
  own_lines output;
  launch::launch_options options;
  options.ranks = contenders;
  options.program = {"/proc/self/exe", "--rank-body=many_contenders.in_processes"};
  options.timeout = duration::from_seconds(300);
  options.output = &output;
  options.environment = {"UPWASH_CONDUIT=shm"};
  EXPECT_EQ(launch::launch(options), 0) << output.all;
}
