// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processes, here threads while they start, that reach their node by one conduit and the rest by
// another: shared memory both times, between pretended nodes.
#include "upwash/conduit/composite/process_composite.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/conduit/shm/threads_job.hpp"
#include "upwash/base/error.hpp"
#include "upwash/conduit/loopback/loopback_world.hpp"

namespace upwash::conduit {
namespace {

using upwash::testing::thread_bootstrap;
using upwash::testing::thread_job_state;

settings values_with(std::string_view nodes) {
  knob_table table;
  table.add(shm_row().knobs);
  table.add(process_knobs());
  settings values = settings::defaults(table);
  values.set("fake_nodes", nodes);
  return values;
}

class composite_job {
 public:
  composite_job(int processes, std::string_view nodes)
      : state_(rank_layout::even(processes, processes)),
        worlds_(static_cast<std::size_t>(processes)) {
    const settings values = values_with(nodes);
    for (int p = 0; p < processes; ++p) {
      boots_.push_back(std::make_unique<thread_bootstrap>(state_, p));
    }
    std::vector<std::thread> starters;
    for (std::size_t p = 0; p < worlds_.size(); ++p) {
      starters.emplace_back([&, p] {
        worlds_[p] = make_process_composite(shm_row().make, shm_row().make, values, *boots_[p]);
      });
    }
    for (auto& one : starters) one.join();
  }
  [[nodiscard]] int size() const { return static_cast<int>(worlds_.size()); }
  [[nodiscard]] endpoint& at(int rank) {
    return worlds_[static_cast<std::size_t>(rank)]->endpoint_of(rank);
  }

 private:
  thread_job_state state_;
  std::vector<std::unique_ptr<thread_bootstrap>> boots_;
  std::vector<std::unique_ptr<world>> worlds_;
};

struct inbox final : sink {
  void deliver(const message& m) override {
    int number = 0;
    std::memcpy(&number, m.arguments.data(), sizeof number);
    came.emplace_back(m.source, number);
    payload += m.payload.size();
  }
  std::vector<std::pair<int, int>> came;
  std::size_t payload = 0;
};

TEST(process_composite, carries_messages_inside_nodes_and_between_them_in_order) {
  composite_job job(5, "2");  // three and two processes
  std::vector<inbox> boxes(5);
  for (int r = 0; r < 5; ++r) job.at(r).attach(r, &boxes[static_cast<std::size_t>(r)]);
  constexpr int rounds = 20;
  const std::vector<std::byte> bytes(300);
  for (int number = 0; number < rounds; ++number) {
    for (int from = 0; from < 5; ++from) {
      for (int to = 0; to < 5; ++to) {
        message m;
        m.source = from;
        m.destination = to;
        m.arguments = std::as_bytes(std::span(&number, 1));
        m.payload = bytes;
        while (job.at(from).send(m, false).what != outcome::done) job.at(to).poll(to);
      }
    }
  }
  for (int r = 0; r < 5; ++r) {
    while (job.at(r).poll(r) != 0) continue;
    std::vector<int> next(5);
    const inbox& mine = boxes[static_cast<std::size_t>(r)];
    EXPECT_EQ(mine.came.size(), std::size_t{5 * rounds});
    EXPECT_EQ(mine.payload, 5 * rounds * bytes.size());
    for (const auto& [source, number] : mine.came) {
      EXPECT_EQ(number, next[static_cast<std::size_t>(source)]++) << "from " << source;
    }
  }
}

TEST(process_composite, says_who_is_near_and_reaches_memory_there_only) {
  composite_job job(5, "2");
  const std::vector<int> nodes{0, 0, 0, 1, 1};
  const memory_block block = job.at(1).allocate(1, 4096);
  for (int r = 0; r < 5; ++r) {
    for (int other = 0; other < 5; ++other) {
      EXPECT_EQ(job.at(r).place(other).node, nodes[static_cast<std::size_t>(other)]);
      EXPECT_EQ(job.at(r).place(other).process, other);
    }
    const capabilities& can = job.at(r).describe();
    EXPECT_EQ(can.name, "shm+shm");
    EXPECT_TRUE(can.of(nearness::node).direct_access);
    EXPECT_FALSE(can.of(nearness::remote).direct_access);
    EXPECT_FALSE(can.of(nearness::remote).remote_write);
    const remote_memory seen = job.at(r).import(r, 1, block.key);
    EXPECT_EQ(seen.direct != nullptr, nodes[static_cast<std::size_t>(r)] == 0) << r;
    job.at(r).forget(r, seen);
  }
  job.at(1).release(1, block);
}

TEST(process_composite, is_one_node_where_none_are_pretended) {
  composite_job job(2, "0");
  EXPECT_EQ(job.at(0).place(1).node, 0);
  EXPECT_TRUE(job.at(0).describe().of(nearness::remote).direct_access);
}

TEST(process_composite, refuses_parts_that_are_no_processes) {
  thread_job_state state(rank_layout::even(1, 1));
  thread_bootstrap boot(state, 0);
  const auto loopback = [](const settings& /*values*/, bootstrap* /*boot*/) {
    return make_loopback_world({});
  };
  try {
    const auto made = make_process_composite(loopback, shm_row().make, values_with("0"), boot);
    FAIL() << "it was made";
  } catch (const error& refused) {
    EXPECT_EQ(refused.kind(), error_kind::argument);
    EXPECT_STREQ(refused.what(), "composite: the ranks of conduit loopback are not in processes");
  }
}

TEST(process_composite, refuses_more_pretended_nodes_than_processes) {
  thread_job_state state(rank_layout::even(1, 1));
  thread_bootstrap boot(state, 0);
  EXPECT_THROW(static_cast<void>(
                   make_process_composite(shm_row().make, shm_row().make, values_with("2"), boot)),
               error);
}

}  // namespace
}  // namespace upwash::conduit
