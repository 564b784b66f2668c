// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whole jobs: two of them in one process, errors of ranks and handlers, knobs that change how a
// job runs, thousands of simulated ranks.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/conduit/loopback/loopback_world.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/core/host.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/runtime/run_on.hpp"

namespace {

using namespace upwash;
using test::loopback_of;
using test::message_of;
using test::sim_of;

struct tally final : service_base {
  explicit tally(job& /*here*/) {}
  std::uint64_t received = 0;
};

void count(incoming& in) { ++in.here().service<tally>().received; }
void explode(incoming& /*in*/) { throw std::runtime_error("the sky is falling"); }

/// Waits without waiting: only `progress`, so others must get their turn from it.
void poll_until(job& here, std::uint64_t wanted) {
  while (here.service<tally>().received < wanted) here.progress();
}

void everyone_counts(job& here) {
  for (int to = 0; to < here.size(); ++to) send<&count>(here, to);
  poll_until(here, static_cast<std::uint64_t>(here.size()));
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Notes its end in a list that outlives the job.
template <int Number>
struct mortal final : service_base {
  explicit mortal(job& /*here*/) {}
  ~mortal() override {
    if (list != nullptr) list->push_back(Number);
  }
  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress() override {
    ++calls;
    return 0;
  }
  std::vector<int>* list = nullptr;
  int calls = 0;
};

}  // namespace

TEST(job_services, are_made_once_called_by_progress_and_destroyed_in_reverse) {
  std::vector<int> ends;
  const auto world = loopback_of(1);
  run_on(*world, {}, [&](job& here) {
    here.service<mortal<1>>().list = &ends;
    here.service<mortal<2>>().list = &ends;
    here.service<mortal<3>>().list = &ends;
    EXPECT_EQ(here.service<mortal<1>>().list, &ends);
    here.progress();
    EXPECT_EQ(here.service<mortal<2>>().calls, 1);
  });
  EXPECT_EQ(ends, (std::vector<int>{3, 2, 1}));
}

JOB_TEST(jobs, progress_alone_lets_others_run) { everyone_counts(here); }

JOB_TEST(jobs, a_second_job_lives_beside_the_first) {
  // A job on another conduit inside a rank of this one, while messages of this one are under way.
  send<&count>(here, (here.rank() + 1) % here.size());
  int ranks_run = 0;
  const auto inner = loopback_of(4);
  run_on(*inner, {}, [&](job& second) {
    everyone_counts(second);
    control::barrier(second.world());
    EXPECT_NE(&second, &here);
    EXPECT_EQ(second.size(), 4);
    ++ranks_run;
  });
  EXPECT_EQ(ranks_run, 4);
  poll_until(here, 1);
}

JOB_TEST(jobs, a_simulated_job_lives_beside_a_real_one, .most_ranks = 4) {
  const auto inner = sim_of(9);
  run_on(*inner, {}, everyone_counts);
  control::barrier(here.world());
}

JOB_TEST(jobs, a_progress_thread_serves_memory, .on_sim = false, .on_direct = false,
         .on_loopback = false, .shares_process = false,
         .environment = {"UPWASH_PROGRESS_THREAD=1"}) {
  EXPECT_TRUE(here.options().progress_thread);
  region area = allocate(here.world(), 4096, atomicity::owner);
  // Owner atomics go by messages; the owner only looks at a word, outside the library.
  auto& word = area.mine_as<std::uint64_t>()[0];
  auto& stop = area.mine_as<std::uint64_t>()[1];
  if (here.rank() == 0 && here.size() > 1) {
    while (std::atomic_ref(stop).load() == 0) std::this_thread::yield();
    EXPECT_EQ(word, 100U * static_cast<std::uint64_t>(here.size() - 1));
  } else if (here.rank() > 0) {
    for (int i = 0; i < 100; ++i) fetch_add(here, area.at<std::uint64_t>(0), 1);
    const std::uint64_t done = fetch_add(here, area.at<std::uint64_t>(0, 2), 1) + 1;
    if (done == static_cast<std::uint64_t>(here.size() - 1)) {
      atomic_store(here, area.at<std::uint64_t>(0, 1), 1);
    }
  }
  control::barrier(here.world());
  free(area);
}

TEST(job_errors, a_throwing_handler_is_named) {
  for (const auto& world : {loopback_of(3), sim_of(3)}) {
    const std::string said = message_of(*world, [](job& here) {
      if (here.rank() == 0) send<&explode>(here, 2);
      control::barrier(here.world());
      host(here).finish();
    });
    EXPECT_TRUE(contains(said, "rank 2")) << said;
    EXPECT_TRUE(contains(said, "explode")) << said;
    EXPECT_TRUE(contains(said, "the sky is falling")) << said;
    EXPECT_TRUE(contains(said, "from rank 0")) << said;
  }
}

TEST(job_errors, an_error_of_one_rank_ends_the_others) {
  for (const auto& world : {loopback_of(5), sim_of(5)}) {
    const std::string said = message_of(*world, [](job& here) {
      if (here.rank() == 3) throw std::runtime_error("rank 3 gives up");
      control::barrier(here.world());
    });
    EXPECT_EQ(said, "rank 3 gives up");
  }
}

TEST(job_errors, a_deadlock_names_what_ranks_wait_for) {
  for (const auto& world : {loopback_of(3), sim_of(3)}) {
    const std::string said = message_of(*world, [](job& here) {
      if (here.rank() == 1) {
        control::barrier(here.world());
      } else {
        static_cast<void>(allocate(here.world(), 8));
      }
    });
    EXPECT_TRUE(contains(said, "deadlock") || contains(said, "different collectives")) << said;
  }
}

TEST(job_errors, asking_for_atomics_that_cannot_be_had_is_refused) {
  const auto world = loopback_of(2);
  const std::string said = message_of(
      *world, [](job& here) { static_cast<void>(allocate(here.world(), 8, atomicity::network)); });
  EXPECT_TRUE(contains(said, "loopback conduit has no network atomics")) << said;
}

TEST(simulated_jobs, thousands_of_ranks_exchange_with_neighbours) {
  constexpr int ranks = 4096;
  constexpr int neighbours = 16;
  const auto world = sim_of(ranks);
  run_on(*world, {}, [](job& here) {
    control::barrier(here.world());
    for (int i = 1; i <= neighbours; ++i) send<&count>(here, (here.rank() + i) % here.size());
    poll_until(here, neighbours);
  });
}

TEST(simulated_jobs, the_same_seed_gives_the_same_times) {
  const auto times = [](std::uint64_t seed) {
    conduit::sim_options options;
    options.ranks = 13;
    options.on = load_machine("lemieux");
    options.seed = seed;
    options.perturb = true;
    const auto world = conduit::make_sim_world(options);
    std::vector<std::int64_t> ends(13);
    run_on(*world, {}, [&](job& here) {
      everyone_counts(here);
      control::barrier(here.world());
      here.compute(duration::from_us(3));
      ends[static_cast<std::size_t>(here.rank())] = here.now().ps();
    });
    return ends;
  };
  EXPECT_EQ(times(5), times(5));
  EXPECT_NE(times(5), times(6));
}
