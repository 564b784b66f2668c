// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets, atomics, long messages and flush in virtual time. L = 1 us, o = 300 ns, g = 100
// ns, G = 0.5 ns/B throughout.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/conduit/sim/sim_fixture.hpp"

namespace {

using namespace upwash;
using namespace upwash::conduit;
using namespace upwash::conduit::sim_test;

constexpr duration ns(double value) { return duration::from_ns(value); }

/// A job with a segment on each rank.
struct memory_job : simulated_job {
  explicit memory_job(sim_options options, std::size_t bytes = 4096)
      : simulated_job(std::move(options)) {
    for (int rank = 0; rank < in().size(); ++rank) {
      blocks.push_back(in().endpoint_of(rank).allocate(rank, bytes));
    }
  }
  ~memory_job() {
    for (int rank = 0; rank < in().size(); ++rank) {
      in().endpoint_of(rank).release(rank, blocks[std::size_t(rank)]);
    }
  }
  [[nodiscard]] remote_memory segment(int from, int owner) {
    return in().endpoint_of(from).import(from, owner, blocks[std::size_t(owner)].key);
  }
  [[nodiscard]] std::uint64_t& word(int rank, std::size_t index = 0) {
    return reinterpret_cast<std::uint64_t*>(blocks[std::size_t(rank)].base)[index];
  }
  std::vector<memory_block> blocks;
};

TEST(sim_memory, put_lands_without_the_targets_processor) {
  memory_job job(on_textbook(2));
  job.run([&](rank_box& me) {
    if (me.rank() == 1) {
      me.at().compute(1, ns(1303));
      EXPECT_EQ(job.word(1), 0U) << "not there yet";
      me.at().compute(1, ns(1));
      EXPECT_EQ(job.word(1), 77U) << "o + L + 7 G = 1303.5 ns";
      return;
    }
    const std::uint64_t value = 77;
    told_once local;
    told_once remote;
    const remote_memory to = job.segment(0, 1);
    EXPECT_EQ(to.owner, 1);
    EXPECT_EQ(to.direct, nullptr);
    EXPECT_EQ(
        me.at().put(0, to, 0, std::as_bytes(std::span(&value, 1)), {&local, &remote}, nullptr).what,
        outcome::pending);
    EXPECT_EQ(local.count, 0) << "told from poll, not from the injecting call";
    EXPECT_EQ(me.now(), ns(300));
    me.wait_told(local);
    EXPECT_EQ(me.now(), ns(300)) << "a small payload is copied at once";
    me.wait_told(remote);
    EXPECT_EQ(me.now(), ns(300 + 1000 + 3.5 + 1000));
    EXPECT_EQ(local.count, 1);
    EXPECT_EQ(remote.count, 1);
  });
}

TEST(sim_memory, put_landing_wakes_a_rank_that_waits_for_a_word) {
  memory_job job(on_textbook(2));
  job.run([&](rank_box& me) {
    if (me.rank() == 0) {
      const std::uint64_t value = 5;
      const remote_memory to = job.segment(0, 1);
      const std::vector<std::byte> data(100, std::byte{1});
      const put_signal signal{&to, 0, value};
      (void)me.at().put(0, to, 64, data, {}, &signal);
      return;
    }
    me.wait_until([&] { return job.word(1) == 5; });
    EXPECT_EQ(job.blocks[1].base[64 + 99], std::byte{1}) << "data before the signal";
    EXPECT_EQ(me.now(), ns(300 + 1000 + 99 * 0.5));
  });
}

TEST(sim_memory, large_put_is_read_in_place_until_its_local_stage) {
  memory_job job(on_textbook(2), 1 << 20);
  std::vector<std::byte> data(1 << 20, std::byte{3});
  job.run([&](rank_box& me) {
    if (me.rank() != 0) return;
    told_once local;
    (void)me.at().put(0, job.segment(0, 1), 0, data, {&local, nullptr}, nullptr);
    me.wait_told(local);
    EXPECT_EQ(std::memcmp(job.blocks[1].base, data.data(), data.size()), 0);
    EXPECT_NEAR(me.now().us(), 0.3 + 1 + (1 << 20) * 0.5e-3 + 1, 0.01);
  });
}

TEST(sim_memory, get_takes_a_round_trip_and_reads_when_it_arrives) {
  memory_job job(on_textbook(2));
  job.run([&](rank_box& me) {
    if (me.rank() == 1) {
      job.word(1) = 1;
      me.at().compute(1, ns(1200));
      job.word(1) = 2;
      me.at().compute(1, ns(200));
      job.word(1) = 3;
      return;
    }
    std::uint64_t value = 0;
    told_once local;
    EXPECT_EQ(
        me.at()
            .get(0, job.segment(0, 1), 0, std::as_writable_bytes(std::span(&value, 1)), &local)
            .what,
        outcome::pending);
    me.wait_told(local);
    EXPECT_EQ(value, 2U) << "as of 1.3 us";
    EXPECT_EQ(me.now(), ns(300 + 1000 + 1000 + 7 * 0.5));
  });
}

TEST(sim_memory, registered_private_span_is_readable) {
  memory_job job(on_textbook(2));
  const std::vector<std::byte> secret(300, std::byte{8});
  const memory_key key = job.in().endpoint_of(1).register_span(1, secret);
  job.run([&](rank_box& me) {
    if (me.rank() != 0) return;
    std::vector<std::byte> copy(200);
    told_once local;
    (void)me.at().get(0, me.at().import(0, 1, key), 100, copy, &local);
    me.wait_told(local);
    EXPECT_EQ(copy, std::vector<std::byte>(200, std::byte{8}));
  });
  job.in().endpoint_of(1).deregister(1, key);
}

TEST(sim_memory, atomics_of_all_ranks_add_up) {
  constexpr int ranks = 17;
  memory_job job(on_textbook(ranks));
  std::vector<int> seen(ranks * 10, 0);
  job.run([&](rank_box& me) {
    const remote_memory at = job.segment(me.rank(), 0);
    for (int i = 0; i < 10; ++i) {
      std::uint64_t old = 0;
      told_once local;
      (void)me.at().atomic(me.rank(), at, 8, {atomic_kind::fetch_add, 8, 1, 0}, &old,
                           {&local, nullptr});
      me.wait_told(local);
      ++seen[old];
    }
  });
  EXPECT_EQ(job.word(0, 1), ranks * 10U);
  for (const int count : seen) EXPECT_EQ(count, 1) << "each value is fetched once";
}

TEST(sim_memory, every_atomic_does_what_it_says) {
  struct row {
    atomic_operation what;
    std::uint64_t before;
    std::uint64_t after;
  };
  const std::uint64_t minus_one = ~std::uint64_t{0};
  const std::vector<row> rows = {
      {{atomic_kind::load, 8, 1, 0}, 9, 9},
      {{atomic_kind::store, 8, 1, 0}, 9, 1},
      {{atomic_kind::add, 8, 5, 0}, 9, 14},
      {{atomic_kind::swap, 8, 5, 0}, 9, 5},
      {{atomic_kind::compare_swap, 8, 5, 9}, 9, 5},
      {{atomic_kind::compare_swap, 8, 5, 8}, 9, 9},
      {{atomic_kind::fetch_and, 8, 6, 0}, 3, 2},
      {{atomic_kind::fetch_or, 8, 6, 0}, 3, 7},
      {{atomic_kind::fetch_xor, 8, 6, 0}, 3, 5},
      {{atomic_kind::min_signed, 8, minus_one, 0}, 3, minus_one},
      {{atomic_kind::fetch_max_signed, 8, minus_one, 0}, 3, 3},
      {{atomic_kind::min_unsigned, 8, minus_one, 0}, 3, 3},
      {{atomic_kind::fetch_max_unsigned, 8, minus_one, 0}, 3, minus_one},
      {{atomic_kind::add, 4, 1, 0}, 0x1'ffff'ffff, 0x1'0000'0000},
      {{atomic_kind::min_signed, 4, 0xffff'ffff, 0}, 3, 0xffff'ffff},
  };
  memory_job job(on_textbook(2));
  job.run([&](rank_box& me) {
    if (me.rank() != 0) return;
    for (const row& each : rows) {
      job.word(1) = each.before;
      std::uint64_t old = 0;
      told_once remote;
      (void)me.at().atomic(0, job.segment(0, 1), 0, each.what, &old, {nullptr, &remote});
      me.wait_told(remote);
      EXPECT_EQ(job.word(1), each.after) << int(each.what.kind);
      EXPECT_EQ(old, each.what.width == 8 ? each.before : each.before & 0xffff'ffffU);
    }
  });
}

TEST(sim_memory, long_message_follows_its_data) {
  memory_job job(on_textbook(2), 1 << 16);
  const std::vector<std::byte> data(40'000, std::byte{6});
  job.run([&](rank_box& me) {
    if (me.rank() == 1) {
      me.wait_for(1);
      EXPECT_EQ(me.arrivals[0].sequence, 9U);
      EXPECT_EQ(std::memcmp(job.blocks[1].base + 16, data.data(), data.size()), 0);
      return;
    }
    message m;
    m.source = 0;
    m.destination = 1;
    m.sequence = 9;
    told_once local;
    EXPECT_EQ(me.at().send_long(m, job.segment(0, 1), 16, data, &local, false).what,
              outcome::pending);
    me.wait_told(local);
  });
}

TEST(sim_memory, flush_waits_for_earlier_operations_of_the_peer) {
  for (const bool perturb : {false, true}) {
    sim_options options = on_textbook(3);
    options.perturb = perturb;
    options.seed = 3;
    memory_job job(options, 1 << 20);
    std::vector<std::byte> large(1 << 20, std::byte{1});
    job.run([&](rank_box& me) {
      if (me.rank() != 0) return;
      told_once all;
      told_once one;
      EXPECT_EQ(me.at().flush(0, -1, &all).what, outcome::done) << "nothing under way";
      const remote_memory slow = job.segment(0, 1);
      const remote_memory fast = job.segment(0, 2);
      (void)me.insist([&] { return me.at().put(0, slow, 0, large, {}, nullptr); });
      const std::uint64_t value = 4;
      const auto bytes = std::as_bytes(std::span(&value, 1));
      (void)me.insist([&] { return me.at().put(0, fast, 0, bytes, {}, nullptr); });
      EXPECT_EQ(me.at().flush(0, 2, &one).what, outcome::pending);
      EXPECT_EQ(me.at().flush(0, -1, &all).what, outcome::pending);
      me.wait_told(one);
      EXPECT_EQ(job.word(2), 4U);
      me.wait_told(all);
      EXPECT_EQ(job.blocks[1].base[(1 << 20) - 1], std::byte{1});
      EXPECT_EQ(me.at().flush(0, 1, &one).what, outcome::done);
    });
  }
}

TEST(sim_memory, perturbation_reorders_puts) {
  bool reordered = false;
  for (std::uint64_t seed = 0; seed < 20 && !reordered; ++seed) {
    sim_options options = on_textbook(2);
    options.perturb = true;
    options.seed = seed;
    memory_job job(options);
    job.run([&](rank_box& me) {
      if (me.rank() != 0) return;
      for (std::uint64_t value = 1; value <= 4; ++value) {
        const auto bytes = std::as_bytes(std::span(&value, 1));
        const remote_memory to = job.segment(0, 1);
        (void)me.insist([&] { return me.at().put(0, to, 0, bytes, {}, nullptr); });
      }
      told_once all;
      if (me.at().flush(0, -1, &all).what == outcome::pending) me.wait_told(all);
    });
    reordered = job.word(1) != 4;
  }
  EXPECT_TRUE(reordered);
}

TEST(sim_memory, large_segments_cost_nothing_until_touched) {
  memory_job job(on_textbook(64), std::size_t{1} << 33);
  for (int rank = 0; rank < 64; ++rank) job.word(rank, 1000) = 1;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(job.blocks[0].base) % 4096, 0U);
}

}  // namespace
