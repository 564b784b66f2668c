// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices against closed formulas, one way of pricing against another, and what is refused.
#include <gtest/gtest.h>

#include <string>

#include "tests/sanitized.hpp"
#include "tests/schedule/written_schedules.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/algorithms/all_reduces.hpp"
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/algorithms/broadcasts.hpp"
#include "upwash/schedule/price.hpp"

namespace {

using namespace upwash;
using namespace upwash::schedule;
using namespace upwash::schedule::testing;
using collective::dissemination_barrier;
using collective::ring_all_reduce;
using collective::tree_broadcast;

const duration latency = duration::from_us(5);
const duration overhead = duration::from_us(1);

machine textbook() { return uniform_machine(latency, overhead, duration::from_us(1.5), 0.5); }

/// Kumar 2005, equation 2.1: alpha + m beta and nothing else.
machine only_alpha_beta(double alpha_us, double beta_ns) {
  machine on = textbook();
  on.levels[0].send_overhead.reset();
  on.levels[0].receive_overhead.reset();
  on.levels[0].alpha_beta = alpha_beta_cost{{}, {{0, duration::from_us(alpha_us), beta_ns}}};
  return on;
}

price_options free_work() {
  price_options options;
  options.free_where_absent = true;
  return options;
}

transfer_rules all_eager() {
  transfer_rules rules;
  rules.eager_bytes = std::uint64_t{1} << 50U;
  return rules;
}

price_result price_listed(const ranks_of_steps& all, const machine& on,
                          const price_options& options = free_work(),
                          const transfer_rules& rules = {}) {
  return price(
      static_cast<int>(all.size()), [&](int rank) { return schedule_of(all, rank); }, on, rules,
      options);
}

auto ring(int ranks, std::uint64_t elements) {
  return [=](int rank) { return generator(ring_all_reduce(ranks, rank, elements, 8, true)); };
}

auto tree(int ranks, std::uint64_t bytes, int radix, std::uint64_t segment) {
  return [=](int rank) {
    return generator(
        tree_broadcast(ranks, rank, 0, bytes, {model::knomial_tree(radix), segment}, true));
  };
}

template <class Act>
std::string refusal(const Act& act, error_kind kind) {
  try {
    act();
  } catch (const error& wrong) {
    EXPECT_EQ(wrong.kind(), kind) << wrong.what();
    return wrong.what();
  }
  return "accepted";
}

void expect_near(duration a, duration b, double tolerance) {
  EXPECT_NEAR(a.us() / b.us(), 1, tolerance) << a.us() << " and " << b.us() << " us";
}

}  // namespace

TEST(price, of_a_dissemination_barrier_is_rounds_of_one_message) {
  for (const auto& [ranks, rounds] : {std::pair{2, 1}, {16, 4}, {17, 5}, {131'072, 17}}) {
    const auto steps = [n = ranks](int rank) { return generator(dissemination_barrier(n, rank)); };
    const price_result result = price(ranks, steps, textbook(), {});
    EXPECT_EQ(result.completion, (latency + overhead * 2) * rounds);
    EXPECT_EQ(result.processor_most, overhead * 2 * rounds);
    EXPECT_EQ(result.processor_mean, result.processor_most);
    EXPECT_EQ(result.rounds, static_cast<std::uint32_t>(rounds));
    EXPECT_EQ(result.ranks_walked, 1);
  }
}

TEST(price, of_a_binomial_tree_is_its_depth) {
  const std::uint64_t bytes = 101;
  for (const auto& [ranks, depth] : {std::pair{2, 1}, {8, 3}, {1024, 10}, {131'072, 17}}) {
    const price_result result = price(ranks, tree(ranks, bytes, 2, 0), textbook(), {});
    // (m - 1) G of 100 further bytes at 0.5 ns.
    EXPECT_EQ(result.completion, (latency + overhead * 2 + duration::from_ns(50)) * depth);
    EXPECT_EQ(result.processor_most, overhead * depth);  // the root sends to all its children
    EXPECT_EQ(result.ranks_walked, ranks);
  }
}

// Kumar 2005, equation 4.3: P - 1 messages of alpha + m beta one behind the other; twice, for the
// two halves of the all-reduce.
TEST(price, of_a_ring_is_what_the_formula_says) {
  const machine on = only_alpha_beta(9, 7);
  const duration one = duration::from_us(9) + duration::from_ns(8 * 100 * 7);
  for (const int ranks : {2, 3, 16, 100, 131'072}) {
    const auto elements = 100 * static_cast<std::uint64_t>(ranks);
    const price_result result = price(ranks, ring(ranks, elements), on, all_eager(), free_work());
    EXPECT_EQ(result.completion, one * (2 * std::int64_t{ranks - 1}));
    EXPECT_EQ(result.processor_most, duration());
  }
}

TEST(price, of_a_direct_exchange_keeps_the_port_busy) {
  // Kumar 2005, equation 3.1: (P - 1)(alpha + m beta).
  constexpr int ranks = 12;
  ranks_of_steps all(ranks);
  for (int me = 0; me < ranks; ++me) {
    for (int i = 1; i < ranks; ++i) {
      all[static_cast<std::size_t>(me)].push_back(
          to_peer(step_kind::send, (me + i) % ranks, 0, 1000));
      all[static_cast<std::size_t>(me)].push_back(
          to_peer(step_kind::receive, (me + ranks - i) % ranks, 0, 1000));
    }
  }
  const price_result result = price_listed(all, only_alpha_beta(10, 4), free_work(), all_eager());
  EXPECT_EQ(result.completion, duration::from_us(14) * (ranks - 1));
}

TEST(price, is_the_same_by_one_rank_by_those_of_a_node_and_by_all) {
  for (const machine& on : {textbook(), load_machine("lemieux"), load_machine("edr")}) {
    for (const int ranks : {40, 96, 320}) {
      price_options one = free_work();
      one.steps_before_skipping = 0;
      price_options all = free_work();
      all.every_rank = true;
      all.steps_before_skipping = UINT64_MAX;
      const auto steps = ring(ranks, 1000 * static_cast<std::uint64_t>(ranks));
      const price_result a = price(ranks, steps, on, {}, one);
      const price_result b = price(ranks, steps, on, {}, all);
      expect_near(a.completion, b.completion, 1e-6);
      expect_near(a.processor_most, b.processor_most, 1e-6);
      EXPECT_EQ(b.ranks_walked, ranks);
      EXPECT_EQ(b.rounds_skipped, 0U);
    }
  }
}

TEST(price, passes_over_segments_that_repeat) {
  const machine on = load_machine("edr");
  for (const int ranks : {30, 128}) {
    const auto steps = tree(ranks, 100'000'000, 4, 65'536);
    price_options short_cut = free_work();
    short_cut.steps_before_skipping = 0;
    price_options whole = free_work();
    whole.steps_before_skipping = UINT64_MAX;
    const price_result a = price(ranks, steps, on, {}, short_cut);
    const price_result b = price(ranks, steps, on, {}, whole);
    EXPECT_GT(a.rounds_skipped, 1000U);
    EXPECT_LT(a.steps_walked, b.steps_walked / 4);
    expect_near(a.completion, b.completion, 0.02);
    expect_near(a.processor_most, b.processor_most, 0.02);
  }
}

// Eager segments: a parent hands over faster than its port, or that of its node, takes it.
TEST(price, passes_over_segments_that_pile_up_at_ports) {
  for (const machine& on : {textbook(), load_machine("lemieux"), load_machine("edr")}) {
    if (test::sanitized && on.name != textbook().name) continue;
    for (const int radix : {2, 4}) {
      const auto steps = tree(64, 2'500'000, radix, 500);
      price_options whole = free_work();
      whole.steps_before_skipping = UINT64_MAX;
      const price_result b = price(64, steps, on, {}, whole);
      for (const std::uint64_t from : {0, 100'000, 200'000}) {
        price_options short_cut = free_work();
        short_cut.steps_before_skipping = from;
        const price_result a = price(64, steps, on, {}, short_cut);
        expect_near(a.completion, b.completion, 0.01);
        expect_near(a.processor_most, b.processor_most, 0.01);
        EXPECT_TRUE(on.name != textbook().name || a.rounds_skipped > 1000);
      }
    }
  }
}

TEST(price, knows_sizes_above_four_gigabytes_on_huge_teams) {
  const int ranks = 131'072;
  const std::uint64_t elements = std::uint64_t{1} << 40U;  // 8 TiB
  const machine on = only_alpha_beta(9, 7);
  const price_result result = price(ranks, ring(ranks, elements), on, all_eager(), free_work());
  const auto block = static_cast<double>(elements / static_cast<std::uint64_t>(ranks) * 8);
  const duration one = duration::from_us(9) + duration::from_ns(block * 7);
  EXPECT_EQ(result.completion, one * (2 * std::int64_t{ranks - 1}));
  EXPECT_EQ(result.how(ranks), "1 rank stands for all 131072; " +
                                   std::to_string(result.rounds_skipped) + " rounds passed over");
}

TEST(price, tells_the_busy_processor_from_the_waiting_rank) {
  const ranks_of_steps all{{to_peer(step_kind::send, 1, 0, 1)},
                           {to_peer(step_kind::receive, 0, 0, 1)}};
  price_options options = free_work();
  options.per_rank = true;
  const price_result result = price_listed(all, textbook(), options);
  ASSERT_EQ(result.ranks.size(), 2U);
  EXPECT_EQ(result.ranks[0], (rank_price{overhead, overhead}));
  EXPECT_EQ(result.ranks[1], (rank_price{overhead * 2 + latency, overhead}));
}

TEST(price, charges_copies_reductions_and_combining) {
  const piece input{buffer::input, 0, 1000};
  const piece scratch{buffer::scratch, 0, 1000};
  const piece output{buffer::output, 0, 1000};
  step reduce = then(local(step_kind::reduce, scratch, output));
  reduce.right = output;
  const ranks_of_steps all{{local(step_kind::copy, input, scratch), reduce}};
  machine on = textbook();
  EXPECT_EQ(price_listed(all, on).completion, duration());
  on.processor.copy_ns_per_byte = 2;
  on.processor.reduce_ns_per_byte = 3;
  on.processor.combine = duration::from_us(4);
  EXPECT_EQ(price_listed(all, on, {}).completion, duration::from_us(5));
  price_options combining;
  combining.charge_combining = true;
  EXPECT_EQ(price_listed(all, on, combining).processor_most, duration::from_us(5));  // nothing sent
}

TEST(price, charges_combining_for_what_a_message_carries) {
  const auto packs = [](std::uint64_t at) {
    return local(step_kind::copy, {buffer::input, at, 100}, {buffer::scratch, at, 100});
  };
  step both = then(to_peer(step_kind::send, 1, 0, 200));
  both.left = {buffer::scratch, 0, 200};
  step receive = to_peer(step_kind::receive, 0, 0, 200);
  // Three are packed, one of them twice; one is not sent.
  const ranks_of_steps all{{packs(0), then(packs(100)), then(packs(100)), then(packs(200)), both},
                           {receive}};
  machine on = textbook();
  on.processor.combine = duration::from_us(4);
  price_options combining = free_work();
  combining.per_rank = true;
  EXPECT_EQ(price_listed(all, on, combining).ranks[0].processor, overhead);
  combining.charge_combining = true;
  EXPECT_EQ(price_listed(all, on, combining).ranks[0].processor,
            overhead + duration::from_us(4) * 2);
}

TEST(price, charges_what_a_peers_operand_takes) {
  step fetch = local(step_kind::copy, {buffer::input, 0, 1001, 1}, {buffer::output, 0, 1001});
  machine on = textbook();
  on.processor.copy_ns_per_byte = 2;
  // A request there, 1,001 bytes back, without the other processor.
  EXPECT_EQ(price_listed({{fetch}, {}}, on).completion,
            overhead + latency * 2 + duration::from_ns(500));
  transfer_rules direct;
  direct.direct = true;
  EXPECT_EQ(price_listed({{fetch}, {}}, on, {}, direct).completion, duration::from_ns(2002));
}

TEST(price, of_signals_and_of_messages_from_nobody_knows_whom) {
  step wait = to_peer(step_kind::await, own, 3);
  wait.value = 2;
  const ranks_of_steps counters{
      {wait}, {to_peer(step_kind::signal, 0, 3)}, {to_peer(step_kind::signal, 0, 3)}};
  // Both are there at once; the second is counted behind the first.
  EXPECT_EQ(price_listed(counters, textbook()).completion,
            overhead * 3 + latency + duration::from_us(0.5));
  step close = to_peer(step_kind::close, own, 7);
  close.after_all = true;
  wait.after[0] = 1;
  const ranks_of_steps gathering{
      {to_peer(step_kind::collect, own, 7), wait, close},
      {to_peer(step_kind::send, 0, 7, 0), then(to_peer(step_kind::signal, 0, 3))},
      {to_peer(step_kind::send, 0, 7, 0), then(to_peer(step_kind::signal, 0, 3))}};
  EXPECT_EQ(price_listed(gathering, textbook()).processor_most, overhead * 4);
}

TEST(price, chooses_between_cost_models) {
  machine on = only_alpha_beta(20, 1);
  on.levels[0].send_overhead = on.levels[0].receive_overhead = overhead;
  const ranks_of_steps all{{to_peer(step_kind::send, 1, 0, 1)},
                           {to_peer(step_kind::receive, 0, 0, 1)}};
  price_options options = free_work();
  EXPECT_EQ(price_listed(all, on, options).completion, duration::from_ns(20'001));
  options.messages = price_options::costs::loggp;
  EXPECT_EQ(price_listed(all, on, options).completion, overhead * 2 + latency);
}

TEST(price, adds_the_sharing_of_cores) {
  machine on = textbook();
  on.processor.cores_per_node = 2;
  on.processor.core_switch = duration::from_us(3);
  const auto steps = [](int rank) { return generator(dissemination_barrier(8, rank)); };
  price_options options;
  EXPECT_EQ(price(8, steps, on, {}, options).core_sharing, duration());  // a rank a node
  options.ranks_per_node = 4;
  const price_result shared = price(8, steps, on, {}, options);
  EXPECT_EQ(shared.core_sharing, duration::from_us(3 * 3 * 2) + shared.processor_mean);
  EXPECT_EQ(shared.completion, (latency + overhead * 2) * 3 + shared.core_sharing);
}

TEST(price, refuses_by_name) {
  const piece input{buffer::input, 0, 10};
  const ranks_of_steps copies{{local(step_kind::copy, input, {buffer::output, 0, 10})}};
  EXPECT_NE(refusal([&] { (void)price_listed(copies, textbook(), {}); }, error_kind::configuration)
                .find("has no processor.copy, which copying needs"),
            std::string::npos);
  const ranks_of_steps lonely{{to_peer(step_kind::receive, 1, 5, 1)}, {}};
  EXPECT_EQ(refusal([&] { (void)price_listed(lonely, textbook()); }, error_kind::fault),
            "price: step 0 of rank 0 (receive, edge 5, peer 1, round 0) never comes to its end");
  step net = to_peer(step_kind::net_barrier, own, 0);
  EXPECT_NE(refusal([&] { (void)price_listed({{net}}, textbook()); }, error_kind::configuration)
                .find("has no collectives in the network, which need a fat tree"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)price(1 << 30, tree(1 << 30, 8, 2, 0), textbook(), {}); },
                    error_kind::argument)
                .find("at most 1048576 can be walked"),
            std::string::npos);
  price_options hasty = free_work();
  hasty.most_steps = 1000;
  EXPECT_NE(refusal([&] { (void)price(600, tree(600, 8, 2, 1), textbook(), {}, hasty); },
                    error_kind::argument)
                .find("600 ranks take more than 1000 steps"),
            std::string::npos);
}
