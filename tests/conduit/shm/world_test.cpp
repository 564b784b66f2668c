// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds of one process with several ranks; placement; knobs that are wrong.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/conduit/shm/threads_job.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/fiber.hpp"

namespace upwash::conduit {
namespace {

using testing::threads_job;

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const error& problem) {
    return problem.what();
  }
  return {};
}

struct counting final : sink {
  void deliver(const message& /*m*/) override { count.fetch_add(1); }
  std::atomic<std::uint32_t> count = 0;
};

/// Each rank sends to the next one around the job and waits for what comes from the one before.
void ring_of_ranks(threads_job& job, int process, int ranks, int rounds) {
  world& here = job.world_of(process);
  here.run([&](int rank) {
    counting in;
    endpoint& end = here.endpoint_of(rank);
    end.attach(rank, &in);
    for (int i = 1; i <= rounds; ++i) {
      message m;
      m.source = rank;
      m.destination = (rank + 1) % ranks;
      while (end.send(m, false).what != outcome::done) {
        end.poll(rank);
        here.waiter_of(rank).idle(rank, wait_target::credit(m.destination, lane::request), {});
      }
      const auto wanted = static_cast<std::uint32_t>(i);
      while (in.count.load() < wanted) {
        if (end.poll(rank) == 0) {
          here.waiter_of(rank).idle(rank, wait_target::credit(rank, lane::request), {});
        }
      }
    }
    end.attach(rank, nullptr);
  });
}

TEST(shm_world, several_ranks_a_process_take_turns) {
  for (const int per_process : {2, 5}) {
    threads_job job(1, per_process);
    EXPECT_EQ(job.world_of(0).size(), per_process);
    ring_of_ranks(job, 0, per_process, 200);
  }
}

TEST(shm_world, fibers_of_two_processes_talk) {
  threads_job job(2, 2);
  std::thread other([&] { ring_of_ranks(job, 1, 4, 200); });
  ring_of_ranks(job, 0, 4, 200);
  other.join();
}

TEST(shm_world, uneven_processes_talk) {
  threads_job job(conduit::rank_layout(std::array{3, 1, 2}));
  EXPECT_EQ(job.world_of(1).first_rank(), 3);
  EXPECT_EQ(job.world_of(2).local_ranks(), 2);
  EXPECT_EQ(job.at(0).place(3).process, 1);
  std::thread second([&] { ring_of_ranks(job, 1, 6, 200); });
  std::thread third([&] { ring_of_ranks(job, 2, 6, 200); });
  ring_of_ranks(job, 0, 6, 200);
  second.join();
  third.join();
}

// More than the kernel has mappings for guard pages of.
TEST(shm_world, sixteen_thousand_ranks_share_a_process) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers keep books of each fiber";
  constexpr int ranks = 16'384;
  static_assert(ranks > static_cast<int>(fiber_stacks::guarded_limit));
  threads_job job(1, ranks);
  world& here = job.world_of(0);
  std::int64_t turns = 0;
  here.run([&](int rank) {
    ++turns;
    here.waiter_of(rank).yield(rank);
    ++turns;
  });
  EXPECT_EQ(turns, 2 * ranks);
}

TEST(shm_world, failure_of_a_rank_ends_the_others_and_comes_out) {
  threads_job job(1, 3);
  world& here = job.world_of(0);
  EXPECT_EQ(message_of([&] {
              here.run([&](int rank) {
                if (rank == 1) throw error(error_kind::fault, "rank 1 has had enough");
                for (;;) here.waiter_of(rank).idle(rank, wait_target::credit(0, lane::request), {});
              });
            }),
            "rank 1 has had enough");
}

TEST(shm_world, fake_nodes_split_the_ranks_in_blocks) {
  threads_job job(2, 4, {{"fake_nodes", "3"}});
  std::vector<int> nodes;
  for (int r = 0; r < 8; ++r) {
    const location where = job.at(0).place(r);
    nodes.push_back(where.node);
    EXPECT_EQ(where.socket, where.node);
  }
  EXPECT_EQ(nodes, (std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2}));
}

TEST(shm_world, one_machine_is_node_0) {
  threads_job job(2);
  EXPECT_EQ(job.at(0).place(1).node, 0);
  EXPECT_EQ(job.at(0).place(0).socket, 0);
  EXPECT_EQ(job.at(0).describe().name, "shm");
}

TEST(shm_world, wrong_knobs_are_named_with_their_values) {
  const auto with = [](std::string_view name, std::string_view value) {
    // One process, made here: the error must come out of this thread.
    return message_of([&] {
      testing::thread_job_state state(conduit::rank_layout::even(1, 1));
      testing::thread_bootstrap boot(state, 0);
      knob_table table;
      table.add(shm_row().knobs);
      table.add(process_knobs());
      settings values = settings::defaults(table);
      values.set(name, value);
      static_cast<void>(make_shm_world(boot, values));
    });
  };
  EXPECT_EQ(with("shm_ring_lines", "9"),
            "shm_ring_lines=9: expected 0 or a power of two from 8 to 4096");
  EXPECT_EQ(with("shm_payload", "5000"),
            "shm_payload=5000: expected 0 or a power of two from 4096 to 131072");
  EXPECT_EQ(with("fake_nodes", "2"),
            "fake_nodes=2: expected 0 to the number of ranks, 1 (UPWASH_FAKE_NODES)");
  EXPECT_EQ(with("shm_pipeline", "33k"),
            "shm_pipeline=33792: expected a multiple of 32768 up to 1g");
}

TEST(shm_world, compute_burns_time_only_when_told) {
  threads_job idle(1);
  duration start = steady_now();
  idle.at(0).compute(0, duration::from_seconds(100));
  EXPECT_LT((steady_now() - start).seconds(), 10.0);
  threads_job busy(1, 1, {{"compute", "burn"}});
  start = steady_now();
  busy.at(0).compute(0, duration::from_us(2000));
  EXPECT_GE((steady_now() - start).us(), 2000.0);
}

}  // namespace
}  // namespace upwash::conduit
