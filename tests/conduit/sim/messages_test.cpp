// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Order, credits, reservations and throttling of messages; runs are equal for equal seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/conduit/sim/sim_fixture.hpp"
#include "upwash/base/random.hpp"

namespace {

using namespace upwash;
using namespace upwash::conduit;
using namespace upwash::conduit::sim_test;

/// Who heard what from whom and when, on all ranks.
using history = std::vector<std::tuple<int, int, int, std::uint32_t, std::int64_t>>;

/// Every rank sends `each` messages to random ranks on random lanes, computing between.
history storm(sim_options options, int each, std::uint64_t* digest = nullptr) {
  const int ranks = options.ranks;
  simulated_job job(std::move(options));
  const auto destination = [ranks](int rank, int i) {
    return static_cast<int>(random_bits(7, std::uint64_t(rank), std::uint64_t(i)) %
                            std::uint64_t(ranks));
  };
  std::vector<std::size_t> expected(std::size_t(ranks), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    for (int i = 0; i < each; ++i) ++expected[std::size_t(destination(rank, i))];
  }
  job.run([&](rank_box& me) {
    std::map<std::pair<int, int>, std::uint32_t> sent;
    for (int i = 0; i < each; ++i) {
      const int to = destination(me.rank(), i);
      const int kind = i % 3;
      me.send(to, sent[{to, kind}]++, std::size_t(i % 50), static_cast<lane>(kind));
      if (i % 7 == 0) me.at().compute(me.rank(), duration::from_ns(i * 10));
      if (i % 5 == 0) me.at().poll(me.rank());
    }
    me.wait_for(expected[std::size_t(me.rank())]);
  });
  history heard;
  for (int rank = 0; rank < ranks; ++rank) {
    for (const arrival& a : job.box(rank).arrivals) {
      heard.emplace_back(rank, a.source, int(a.kind), a.sequence, a.when.ps());
    }
  }
  if (digest != nullptr) *digest = job.report().digest;
  return heard;
}

void expect_ordered(const history& heard) {
  std::map<std::tuple<int, int, int>, std::uint32_t> next;
  for (const auto& [rank, source, kind, sequence, when] : heard) {
    ASSERT_EQ(sequence, (next[{rank, source, kind}]++))
        << "E1: rank " << rank << " from " << source << " lane " << kind;
  }
}

TEST(sim_messages, storm_on_1_to_33_ranks_keeps_order) {
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 33}) {
    for (const int each_process : {1, 3}) {
      sim_options options = on_textbook(ranks);
      options.ranks_per_process = each_process;
      const history heard = storm(options, 60);
      EXPECT_EQ(heard.size(), std::size_t(ranks) * 60);
      expect_ordered(heard);
    }
  }
}

TEST(sim_messages, perturbed_storms_keep_order_and_differ) {
  const history calm = storm(on_textbook(9), 60);
  std::set<history> seen = {calm};
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    sim_options options = on_textbook(9);
    options.perturb = true;
    options.seed = seed;
    options.queue_messages = 1 + int(seed % 3);
    const history heard = storm(options, 60);
    EXPECT_EQ(heard.size(), calm.size());
    expect_ordered(heard);
    seen.insert(heard);
  }
  EXPECT_EQ(seen.size(), 9U) << "each seed is another run";
}

TEST(sim_messages, storms_on_every_machine_keep_order) {
  for (const char* name : {"laptop", "lemieux", "tungsten", "infiniband", "edr", "summit"}) {
    for (const bool perturb : {false, true}) {
      sim_options options;
      options.ranks = 50;
      options.on = load_machine(name);
      options.perturb = perturb;
      options.seed = 5;
      const history heard = storm(std::move(options), 40);
      EXPECT_EQ(heard.size(), 2000U) << name;
      expect_ordered(heard);
    }
  }
}

TEST(sim_messages, perturbation_lets_lanes_and_pairs_overtake) {
  bool lanes = false;
  bool pairs = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    sim_options options = on_textbook(3);
    options.perturb = true;
    options.seed = seed;
    simulated_job job(options);
    job.run([](rank_box& me) {
      if (me.rank() == 0) {
        me.send(2, 0, 8, lane::request);
        me.send(2, 1, 8, lane::reply);
      } else if (me.rank() == 1) {
        me.at().compute(1, duration::from_us(1));
        me.send(2, 2);
      } else {
        me.wait_for(3);
      }
    });
    std::vector<std::uint32_t> order;
    for (const arrival& a : job.box(2).arrivals) order.push_back(a.sequence);
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      return std::find(order.begin(), order.end(), a) < std::find(order.begin(), order.end(), b);
    };
    lanes = lanes || before(1, 0);
    pairs = pairs || before(2, 0);
  }
  EXPECT_TRUE(lanes);
  EXPECT_TRUE(pairs);
}

TEST(sim_messages, equal_seeds_give_equal_event_traces) {
  for (const bool perturb : {false, true}) {
    sim_options options = on_textbook(12);
    options.perturb = perturb;
    options.seed = 42;
    std::uint64_t first = 0;
    std::uint64_t second = 1;
    EXPECT_EQ(storm(options, 80, &first), storm(options, 80, &second));
    EXPECT_EQ(first, second);
  }
}

TEST(sim_messages, full_queue_refuses_until_the_receiver_takes) {
  sim_options options = on_textbook(3);
  options.queue_messages = 4;
  simulated_job job(options);
  job.run([](rank_box& me) {
    if (me.rank() == 0) {
      for (std::uint32_t i = 0; i < 10; ++i) me.send(1, i);
      EXPECT_GT(me.refusals, 0);
      EXPECT_GE(me.now(), duration::from_us(100)) << "the receiver was busy until then";
    } else if (me.rank() == 1) {
      me.at().compute(1, duration::from_us(100));
      me.wait_for(10);
    }
  });
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(job.box(1).arrivals[i].sequence, i);
}

TEST(sim_messages, full_peer_does_not_delay_others_E2) {
  sim_options options = on_textbook(3);
  options.queue_messages = 2;
  simulated_job job(options);
  job.run([](rank_box& me) {
    const duration busy = duration::from_us(500);
    if (me.rank() == 1) return me.at().compute(1, busy), me.wait_for(2);
    if (me.rank() == 2) {
      me.wait_for(3);
      EXPECT_LT(me.now(), busy);
      return;
    }
    message m;
    m.source = 0;
    m.destination = 1;
    EXPECT_EQ(me.at().send(m, false).what, outcome::done);
    EXPECT_EQ(me.at().send(m, false).what, outcome::done);
    EXPECT_EQ(me.at().send(m, false).why, retry_reason::no_credit);
    m.kind = lane::reply;
    EXPECT_EQ(me.at().send(m, false).what, outcome::done) << "lanes have credits of their own";
    for (std::uint32_t i = 0; i < 3; ++i) me.send(2, i);
  });
}

TEST(sim_messages, throttled_endpoint_refuses_requests_from_outside_handlers_only) {
  simulated_job job(on_textbook(2));
  job.run([](rank_box& me) {
    const duration closed_for = duration::from_us(50);
    if (me.rank() == 1) {
      me.at().throttle(true);
      me.at().compute(1, closed_for);
      EXPECT_EQ(me.arrivals.size(), 0U);
      me.at().throttle(false);
      return me.wait_for(3);
    }
    me.at().compute(0, duration::from_us(10));
    message m;
    m.source = 0;
    m.destination = 1;
    EXPECT_EQ(me.at().send(m, false).why, retry_reason::throttled);
    EXPECT_EQ(me.at().send(m, true).what, outcome::done);
    m.kind = lane::reply;
    EXPECT_EQ(me.at().send(m, false).what, outcome::done);
    me.send(1, 5);
    EXPECT_GE(me.now(), closed_for) << "woken when the throttle opened";
  });
}

TEST(sim_messages, throttle_is_off_when_all_who_turned_it_on_have_turned_it_off) {
  simulated_job job(on_textbook(2));
  job.run([](rank_box& me) {
    if (me.rank() == 1) {
      me.at().throttle(true);
      me.at().throttle(true);  // another rank of the process
      me.at().throttle(false);
      me.at().compute(1, duration::from_us(50));
      return me.at().throttle(false);
    }
    me.at().compute(0, duration::from_us(25));
    message m;
    m.source = 0;
    m.destination = 1;
    EXPECT_EQ(me.at().send(m, false).why, retry_reason::throttled);
    me.at().compute(0, duration::from_us(50));
    EXPECT_EQ(me.at().send(m, false).what, outcome::done);
  });
}

TEST(sim_messages, prepared_payload_is_sent_in_place_or_cancelled) {
  simulated_job job(on_textbook(2));
  job.run([](rank_box& me) {
    if (me.rank() == 1) return me.wait_for(2);
    reservation room;
    EXPECT_EQ(me.at().prepare(0, 1, lane::request, 5000, room).what, outcome::done);
    ASSERT_EQ(room.payload.size(), 5000U);
    message m;
    m.source = 0;
    m.destination = 1;
    EXPECT_EQ(me.at().send(m, false).why, retry_reason::reserved);
    std::fill(room.payload.begin(), room.payload.end(), std::byte{9});
    m.payload = room.payload.first(4000);
    m.sequence = 1;
    me.at().commit(room, m);
    EXPECT_EQ(me.at().prepare(0, 1, lane::request, 10, room).what, outcome::done);
    me.at().cancel(room);
    me.send(1, 2);
  });
  const std::vector<arrival>& got = job.box(1).arrivals;
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[0].payload, std::vector<std::byte>(4000, std::byte{9}));
  EXPECT_EQ(got[1].sequence, 2U);
}

TEST(sim_messages, messages_before_the_sink_are_kept) {
  simulated_job job(on_textbook(2));
  job.in().endpoint_of(1).attach(1, nullptr);
  job.run([](rank_box& me) {
    if (me.rank() == 0) {
      me.send(1, 0);
      return me.send(1, 1);
    }
    me.at().compute(1, duration::from_us(20));
    me.at().poll(1);
    EXPECT_TRUE(me.arrivals.empty());
    me.at().attach(1, &me);
    me.wait_for(2);
    EXPECT_EQ(me.arrivals[0].sequence, 0U);
  });
}

TEST(sim_messages, handler_replies_and_spends_its_own_ranks_time) {
  simulated_job job(on_textbook(2));
  job.box(1).on_arrival = [](rank_box& me, const message& m) {
    message reply;
    reply.kind = lane::reply;
    reply.source = me.rank();
    reply.destination = m.source;
    reply.sequence = m.sequence + 100;
    EXPECT_EQ(me.at().send(reply, true).what, outcome::done);
  };
  job.run([](rank_box& me) {
    if (me.rank() == 1) return me.wait_for(1);
    me.send(1, 3, 1);
    me.wait_for(1);
    EXPECT_EQ(me.arrivals[0].sequence, 103U);
    EXPECT_EQ(me.now(), duration::from_ns(2 * 1600));
  });
}

TEST(sim_messages, any_rank_of_an_endpoint_runs_handlers_for_its_neighbours) {
  sim_options options = on_textbook(4);
  options.ranks_per_process = 2;
  simulated_job job(options);
  job.run([&](rank_box& me) {
    if (me.rank() == 2) return me.send(1, 0, 1);
    if (me.rank() == 1) return me.at().compute(1, duration::from_us(100));
    if (me.rank() == 0) {
      me.at().compute(0, duration::from_us(10));
      me.at().poll(0);
      ASSERT_EQ(job.box(1).arrivals.size(), 1U);
      EXPECT_EQ(job.box(1).arrivals[0].when, duration::from_ns(10'300)) << "by rank 0's clock";
    }
  });
}

TEST(sim_messages, four_thousand_ranks_dissemination_and_neighbours) {
  constexpr int ranks = 4096;
  sim_options options = on_textbook(ranks);
  options.stack_bytes = 64 * 1024;
  simulated_job job(options);
  const duration start = steady_now();
  job.run([](rank_box& me) {
    std::size_t due = 0;
    for (int distance = 1; distance < ranks; distance *= 2) {
      me.send((me.rank() + distance) % ranks, 0, 1);
      // Early ones of later rounds may come first: counting still separates all from none.
      me.wait_for(++due);
    }
    for (int i = 1; i <= 16; ++i) me.send((me.rank() + 37 * i) % ranks, 1);
    me.wait_for(due + 16);
  });
  EXPECT_EQ(job.report().messages, ranks * (12U + 16U));
  EXPECT_LT((steady_now() - start).seconds(), 20);
}

}  // namespace
