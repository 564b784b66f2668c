// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for words that peers write, over and over.
#include <sys/resource.h>

#include <array>
#include <memory>
#include <string>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/idle_clock.hpp"
#include "upwash/runtime/run_on.hpp"

namespace {

using namespace upwash;

/// How often this process has slept: giving the processor on does not count.
long sleeps() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nvcsw;
}

void ignore(incoming& /*in*/) {}

}  // namespace

/// Many short waits are no long one: nobody naps however long they take together.
JOB_TEST(waiting, is_young_with_every_wait, .least_ranks = 2, .most_ranks = 2, .on_sim = false,
         .on_direct = false, .on_loopback = false, .shares_process = false,
         .environment = {"UPWASH_SLEEP_AFTER=30ms"}) {
  const team world = here.world();
  region words = allocate(world, sizeof(std::uint64_t));
  std::uint64_t* const mine = local(here, words.at<std::uint64_t>(here.rank()));
  const auto theirs = words.at<std::uint64_t>(1 - here.rank());
  control::barrier(world);
  const long before = sleeps();
  constexpr std::uint64_t turns = 1000;
  for (std::uint64_t turn = 1; turn <= turns; ++turn) {
    // Too late for a few looks at the word, so that the partner idles.
    const duration late = here.now() + duration::from_us(100);
    while (here.rank() == 0 && here.now() < late) {
    }
    put_value(here, theirs, turn);
    wait_until(here, *mine, conduit::comparison::greater_equal, turn);
  }
  const long slept = sleeps() - before;
  control::barrier(world);
  free(words);
  if (slept < static_cast<long>(turns) / 10) return;
  throw error(error_kind::fault, "rank " + std::to_string(here.rank()) + " slept " +
                                     std::to_string(slept) + " times in " + std::to_string(turns) +
                                     " waits");
}

namespace {

/// Counts what a rank does when it has nothing to do, and does as the endpoint does.
struct counting_waiter final : conduit::waiter {
  explicit counting_waiter(job& of) : here(of), real(host(of).set_waiter(*this)) {}
  ~counting_waiter() { host(here).set_waiter(real); }
  counting_waiter(const counting_waiter&) = delete;
  counting_waiter& operator=(const counting_waiter&) = delete;
  void idle(int rank, const conduit::wait_target& target,
            const conduit::wait_reason& reason) override {
    ++idles;
    real.idle(rank, target, reason);
  }
  void begin_wait(int rank) override { real.begin_wait(rank); }
  void yield(int rank) override { real.yield(rank); }

  job& here;
  conduit::waiter& real;
  int idles = 0;
};

}  // namespace

/// Clocks between a rank and its waiter go in any order, and the others still run.
JOB_TEST(waiting, clocks_go_in_any_order, .most_ranks = 1, .on_sim = false) {
  counting_waiter counted(here);
  const auto idles_once = [&] {
    const int before = counted.idles;
    // Nothing comes, so it idles.
    host(here).wait(conduit::wait_target::credit(-1, conduit::lane::request),
                    {.operation = "test"});
    return counted.idles > before;
  };
  std::array<std::unique_ptr<idle_clock>, 4> clocks;
  for (int first = 0; first < 4; ++first) {
    for (auto& each : clocks) each = std::make_unique<idle_clock>(here);
    for (int n = 0; n < 4; ++n) {
      EXPECT_TRUE(idles_once());
      clocks[static_cast<std::size_t>((first * 3 + n * (first % 2 == 0 ? 1 : 3)) % 4)].reset();
    }
    EXPECT_TRUE(idles_once());
  }
  // What is below may be replaced meanwhile.
  auto outer = std::make_unique<idle_clock>(here);
  {
    const counting_waiter other(here);
    EXPECT_FALSE(idles_once() && other.idles == 0);
    EXPECT_GT(other.idles, 0);
  }
  EXPECT_TRUE(idles_once());
}

/// Polls that find nothing give the processor on as a wait does, and look for dead peers; those of
/// a rank that computes between them do not.
JOB_TEST(waiting, loops_over_progress_pause, .most_ranks = 1, .on_sim = false) {
  counting_waiter counted(here);
  for (int poll = 0; poll < 1000; ++poll) here.progress();
  EXPECT_GT(counted.idles, 100);
  counted.idles = 0;
  for (int poll = 0; poll < 100; ++poll) {
    const duration until = steady_now() + duration::from_us(100);
    while (steady_now() < until) {
    }
    here.progress();
  }
  EXPECT_LT(counted.idles, 20);
}

TEST(waiting, for_credit_is_one_wait_however_often_it_tries) {
  conduit::loopback_options options;
  options.ranks = 2;
  options.queue_messages = 1;
  const auto world = conduit::make_loopback_world(options);
  bool said = false;
  run_on(*world, {}, [&](job& here) {
    if (here.rank() == 1) {
      // Deaf until the other has been seen to wait in one send for some time.
      for (int turn = 0; turn < 100'000 && !said; ++turn) host(here).endpoint().yield(1);
      return;
    }
    struct listener final : conduit::waiter {
      explicit listener(job& of, bool& found)
          : here(of), said(found), real(host(of).set_waiter(*this)) {}
      ~listener() { host(here).set_waiter(real); }
      void idle(int rank, const conduit::wait_target& target,
                const conduit::wait_reason& reason) override {
        std::array<char, 256> text{};
        const std::size_t length = detail::describe_wait(&here, text.data(), text.size());
        const std::string line(text.data(), length);
        said = said || (line.find("waits in send at waiting_test.cpp:") != std::string::npos &&
                        line.find("(peer 1") != std::string::npos &&
                        detail::job_access::state(here).waiting.since_ps.load() != 0);
        real.idle(rank, target, reason);
      }
      void yield(int rank) override { real.yield(rank); }
      job& here;
      bool& said;
      conduit::waiter& real;
    } const listening(here, said);
    for (int i = 0; i < 50; ++i) send<&ignore>(here, 1);
  });
  EXPECT_TRUE(said) << "a wait for credit never counts as one that lasts";
}
