// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank that dies while it holds a lock takes the job along, with a line that names it: those who
// wait for the lock do not wait for ever.
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <regex>
#include <string>

#include "tests/harness/job_test.hpp"
#include "tests/harness/weak_world.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/launch/launcher.hpp"
#include "upwash/onesided/locks.hpp"

namespace {

using namespace upwash;

constexpr std::array kinds{lock_kind::ticket, lock_kind::server,       lock_kind::hybrid,
                           lock_kind::queue,  lock_kind::test_and_set, lock_kind::array};

int number_of(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atoi(text);
}

class own_lines final : public launch::output_sink {
 public:
  void line(int rank, bool /*standard_error*/, std::string_view text) override {
    if (rank < 0) all += text;
  }
  std::string all;
};

}  // namespace

/// No case of its own: the test below starts it as three processes.
JOB_TEST(lock_losses, killed_holding, .on_shm = false, .on_sim = false, .on_packets = false,
         .on_direct = false, .on_loopback = false, .on_composite = false) {
  const int owner = number_of("LOCK_OWNER");
  lock_set locks(here.world(), 1, kinds.at(static_cast<std::size_t>(number_of("LOCK_KIND"))));
  if (here.rank() == 1) locks.lock(owner, 0);
  control::barrier(here.world());
  if (here.rank() == 1) kill(getpid(), SIGKILL);
  locks.lock(owner, 0);
}

TEST(lock_losses, a_killed_holder_ends_the_job) {
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (const int owner : {0, 1}) {
      for (const int nodes : {0, 3}) {
        own_lines output;
        launch::launch_options options;
        options.ranks = 3;
        options.program = {"/proc/self/exe", "--rank-body=lock_losses.killed_holding"};
        options.timeout = duration::from_seconds(120);
        options.output = &output;
        options.environment = {"LOCK_KIND=" + std::to_string(kind),
                               "LOCK_OWNER=" + std::to_string(owner),
                               "UPWASH_FAKE_NODES=" + std::to_string(nodes)};
        const int status = launch::launch(options);
        EXPECT_EQ(status, 128 + SIGKILL) << to_string(kinds[kind]) << ": " << output.all;
        EXPECT_TRUE(std::regex_match(
            output.all, std::regex("upwash: rank 1 \\(pid \\d+\\) was killed by signal 9 "
                                   "\\(Killed\\); job ended\n")))
            << to_string(kinds[kind]) << ": " << output.all;
      }
    }
  }
}

TEST(lock_losses, a_lost_holder_ends_what_waits) {
  for (const lock_kind kind : kinds) {
    const auto world = test::make_weak_world(test::loopback_of(3));
    const std::string said = test::message_of(*world, [&](job& here) {
      lock_set locks(here.world(), 1, kind);
      if (here.rank() == 1) locks.lock(0, 0);
      control::barrier(here.world());
      if (here.rank() != 1) return locks.lock(0, 0);
      test::lose(*world, 1);
      for (;;) here.progress();
    });
    EXPECT_NE(said.find("rank 1 died, or the network to it did"), std::string::npos)
        << to_string(kind) << ": " << said;
  }
}
