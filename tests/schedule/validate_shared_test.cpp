// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The validator on what ranks share: counters, peers' memory, collected messages, the network.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/schedule/listed.hpp"

namespace {

using namespace upwash::schedule;

const step to_counter_0_of_1 = step_of(step_kind::signal, 1, 0);
const step tell_0 = step_of(step_kind::signal, 0, 0);
const step copy_of_0 = copy(of_rank(0, whole_input), whole_output);

step multicast(piece from, piece into, int root = 0) {
  step s = step_of(step_kind::net_multicast, root);
  s.left = from;
  s.into = into;
  return s;
}

}  // namespace

TEST(validate, takes_signals_for_an_order) {
  EXPECT_EQ(problem_of({{to_counter_0_of_1, await(own, 0, 1)},
                        {await(own, 0, 1), after(1, copy_of_0), after(1, tell_0)}}),
            "");
  // Pull: rank 1 looks at the counter of rank 0.
  EXPECT_EQ(problem_of({{step_of(step_kind::signal, own, 1), await(own, 0, 1)},
                        {await(0, 1, 1), after(1, copy_of_0), after(1, tell_0)}}),
            "");
}

TEST(validate, finds_a_counter_that_never_gets_there_or_does_not_exist) {
  const std::string problem = problem_of({{to_counter_0_of_1}, {await(own, 0, 2)}});
  EXPECT_TRUE(says(problem,
                   "deadlock: rank 1, step 0 (await, round 0) waits for 2 signals to counter 0 of "
                   "rank 1, which has 1, and 0 other steps wait"))
      << problem;
  EXPECT_TRUE(says(problem_of({{step_of(step_kind::signal, 1, 2)}, {}}),
                   "names counter 2 of rank 1, which does not exist"));
}

TEST(validate, finds_a_counter_that_does_more_than_announce) {
  needs announcing = needs_of_listed;
  announcing.counters = 1;
  announcing.announces = true;
  announcing.shared_bytes = 8;
  const piece there{buffer::shared, 0, 8};
  const step lay_out = copy(whole_input, there);
  const step announce = step_of(step_kind::signal, own, 0);
  const step take = copy(of_rank(0, there), whole_output);
  const auto problem = [&](const std::vector<step>& of_0, const std::vector<step>& of_1) {
    return problem_of({of_0, of_1}, {}, announcing);
  };
  const std::vector<step> takes = {await(0, 0, 1), after(1, take)};
  EXPECT_EQ(problem({lay_out, after(1, announce)}, takes), "");
  const std::string twice = "uses counter 0 of rank 0, which announces";
  EXPECT_TRUE(says(problem({lay_out, after(1, announce), announce}, takes), twice));
  EXPECT_TRUE(
      says(problem({lay_out, after(1, announce)}, {await(0, 0, 2), after(1, take)}), twice));
  EXPECT_TRUE(says(problem({lay_out, after(1, to_counter_0_of_1)}, {await(own, 0, 1)}),
                   "uses counter 0 of rank 1, which announces"));
  announcing.counters = 2;
  const std::string other =
      problem({lay_out, after(1, announce), step_of(step_kind::signal, own, 1)}, takes);
  EXPECT_TRUE(says(other, "rank 0, step 2 (signal, round 0) uses counter 1 of rank 0")) << other;
}

TEST(validate, finds_a_peer_that_may_not_have_entered_or_may_have_left) {
  std::string problem = problem_of({{await(own, 0, 1)}, {copy_of_0, after(1, tell_0)}});
  EXPECT_TRUE(says(problem, "the input of rank 0, which may not have entered")) << problem;
  problem = problem_of({{to_counter_0_of_1}, {await(own, 0, 1), after(1, copy_of_0)}});
  EXPECT_TRUE(says(problem, "the input of rank 0, which may have left")) << problem;
}

TEST(validate, finds_a_race_across_ranks) {
  const step writes = copy(whole_input, whole_output);
  const step reads = copy(of_rank(0, whole_output), whole_output);
  const auto problem = [&](const step& signal) {
    return problem_of({{writes, signal, await(own, 0, 1)},
                       {await(own, 0, 1), after(1, reads), after(1, tell_0)}});
  };
  EXPECT_EQ(problem(after(1, to_counter_0_of_1)), "");
  EXPECT_TRUE(says(problem(to_counter_0_of_1), "touch the same bytes in no order"))
      << problem(to_counter_0_of_1);
}

TEST(validate, knows_that_a_message_is_no_acknowledgement) {
  // The send may be done before its message is there: rank 0 then leaves too early.
  const std::string problem =
      problem_of({{send(1, 0, {})}, {receive(0, 0, {}), after(1, copy_of_0)}});
  EXPECT_TRUE(says(problem, "which may have left")) << problem;
}

TEST(validate, knows_which_signals_an_await_needs) {
  // Rank 1 reads of rank 0 and rank 2 once it has been told `value` times, by `first` and rank 2.
  const auto problem = [](std::vector<step> of_rank_0, std::uint64_t value) {
    of_rank_0.push_back(await(own, 0, 1));
    return problem_of({of_rank_0,
                       {await(own, 0, value), after(1, copy_of_0), after(1, tell_0)},
                       {to_counter_0_of_1}});
  };
  EXPECT_EQ(problem({to_counter_0_of_1}, 2), "");
  // One of the two may be that of rank 2.
  EXPECT_TRUE(says(problem({to_counter_0_of_1}, 1), "may not have entered"));
  // Of three, two of them in a row, two need the first of the row.
  EXPECT_EQ(problem({to_counter_0_of_1, after(1, to_counter_0_of_1)}, 2), "");
  EXPECT_TRUE(
      says(problem({to_counter_0_of_1, after(1, to_counter_0_of_1)}, 1), "may not have entered"));
}

TEST(validate, finds_owners_and_places_that_do_not_exist) {
  EXPECT_TRUE(
      says(problem_of({{copy(of_rank(1, whole_input), whole_output)}}), "names rank 1 of 1"));
  EXPECT_TRUE(says(problem_of({{copy(of_rank(1, whole_scratch), whole_output)}, {}}),
                   "the scratch of rank 1 is its own"));
}

TEST(validate, finds_who_leaves_a_barrier_early) {
  expectation of;
  of.ranks = 3;
  of.synchronizes = true;
  // In a ring of one round nobody hears of the rank two before it, unless it passes that on.
  const auto problem = [&of](std::uint32_t distance) {
    return validate(
        of,
        [distance](int rank) {
          const int right = (rank + 1) % 3;
          const int left = (rank + 2) % 3;
          return list_of({send(right, 0, {}), receive(left, 0, {}),
                          after(distance, send(right, 1, {})), receive(left, 1, {})});
        },
        [](int, std::uint64_t) { return abstract_value{}; }, 1);
  };
  EXPECT_EQ(problem(1), "");
  EXPECT_TRUE(says(problem(0), "rank 0 may leave before rank 1 has entered")) << problem(0);
}

TEST(validate, compares_what_is_collected) {
  const step collects = step_of(step_kind::collect, own, 5);
  const step closes = step_of(step_kind::close, own, 5);
  const step message = acknowledged(send(1, 5, {buffer::input, 2, 2}));
  const std::vector<step> sender{message, message, send(1, 0, whole_input),
                                 after_all(send(1, 1, {}))};
  const std::vector<step> collector{collects, receive(0, 0, whole_output), receive(0, 1, {}),
                                    after(1, closes)};
  std::vector<rank_call> calls(2);
  const collected_message one{0, {{{0, 2}}, {{0, 3}}}};
  calls[1].collected = {one, one};
  EXPECT_EQ(problem_of({sender, collector}, calls), "");
  calls[1].collected = {one};
  EXPECT_TRUE(says(problem_of({sender, collector}, calls), "rank 1 collects 2 messages, 1 wanted"));
  calls[1].collected = {one, {0, {{{0, 2}}, {{0, 4}}}}};
  EXPECT_TRUE(says(problem_of({sender, collector}, calls), "or others"));
}

TEST(validate, finds_messages_that_come_after_the_close) {
  const step collects = step_of(step_kind::collect, own, 5);
  const std::vector<step> collector{collects, receive(0, 0, {}),
                                    after(1, step_of(step_kind::close, own, 5))};
  const step message = send(1, 5, {});
  std::string problem = problem_of({{message, after(1, send(1, 0, {}))}, collector});
  EXPECT_TRUE(says(problem, "the message of rank 0, step 0 (send, round 0) may come after"));
  problem = problem_of({{send(1, 0, {}), acknowledged(message)}, collector});
  EXPECT_TRUE(says(problem, "has closed") || says(problem, "may come after")) << problem;
  problem = problem_of({{}, {collects}});
  EXPECT_TRUE(says(problem, "rank 1 never closes edge 5")) << problem;
  problem = problem_of({{}, {step_of(step_kind::close, own, 5)}});
  EXPECT_TRUE(says(problem, "closes edge 5, which it does not collect")) << problem;
}

TEST(validate, counts_what_a_close_waits_for) {
  const step collects = step_of(step_kind::collect, own, 5);
  step closes = step_of(step_kind::close, own, 5);
  closes.counted = true;
  closes.value = 2;
  const step message = send(1, 5, {});
  const auto problem = [&](std::vector<step> sender) {
    sender.push_back(send(1, 0, whole_input));
    std::vector<rank_call> calls(2);
    calls[1].collected.resize(sender.size() - 1, {0, {}});
    return problem_of({sender, {collects, receive(0, 0, whole_output), after(1, closes)}}, calls);
  };
  EXPECT_TRUE(says(problem({message}), "deadlock: rank 1, step 2 (close")) << problem({message});
  closes.acknowledged = true;
  EXPECT_TRUE(says(problem({}), "counts 2 messages; 0 came")) << problem({});
  closes = step_of(step_kind::close, own, 5);
  closes.counted = true;
  closes.value = 1;
  EXPECT_NE(problem({message, message}), "");
}

TEST(validate, compares_what_is_delivered) {
  step delivers = step_of(step_kind::deliver, 0);
  delivers.left = {buffer::output, 2, 2};
  std::vector<rank_call> calls(2);
  calls[1].collected = {{0, {{{0, 2}}, {{0, 3}}}}};
  const auto problem = [&](const step& last) {
    return problem_of({{send(1, 0, whole_input)}, {receive(0, 0, whole_output), last}}, calls);
  };
  EXPECT_EQ(problem(after(1, delivers)), "");
  EXPECT_TRUE(says(problem(delivers), "in no order") ||
              says(problem(delivers), "rank 1 collects 1 messages, 1 wanted, or others"));
  delivers.peer = 1;
  EXPECT_TRUE(says(problem(after(1, delivers)), "1 wanted, or others"));
}

TEST(validate, carries_out_steps_in_the_network) {
  EXPECT_EQ(problem_of({{multicast(whole_input, whole_output)}, {multicast({}, whole_output)}}),
            "");
  step reduces = step_of(step_kind::net_reduce, own);
  reduces.left = whole_input;
  reduces.into = whole_output;
  expectation of;
  of.ranks = 3;
  of.input_bytes = of.output_bytes = 8;
  of.commutative = false;
  const std::string problem = validate(
      of, [&](int) { return list_of({reduces}); },
      [](int, std::uint64_t at) {
        const auto e = static_cast<std::uint32_t>(at);
        return abstract_value{{0, e}, {1, e}, {2, e}};
      },
      1);
  EXPECT_EQ(problem, "");
  // Nobody passes a barrier before all have come: rank 0 may touch rank 1, but not leave it.
  const step barrier = step_of(step_kind::net_barrier);
  EXPECT_EQ(problem_of({{barrier, step_of(step_kind::net_barrier, own, 1)},
                        {barrier, after(1, copy_of_0),
                         after(1, step_of(step_kind::net_barrier, own, 1))}}),
            "");
}

TEST(validate, finds_steps_in_the_network_that_do_not_match) {
  std::string problem = problem_of({{multicast(whole_input, whole_output)}, {}});
  EXPECT_TRUE(says(problem, "1 of 2 ranks take part in net_multicast edge 0")) << problem;
  problem = problem_of({{step_of(step_kind::net_barrier)}, {}});
  EXPECT_TRUE(says(problem, "deadlock: rank 0, step 0 (net_barrier")) << problem;
  problem =
      problem_of({{multicast(whole_input, whole_output)}, {multicast({}, {buffer::output, 0, 4})}});
  EXPECT_TRUE(says(problem, "differ in root or size")) << problem;
  const step barrier = step_of(step_kind::net_barrier);
  problem = problem_of({{barrier, barrier}, {barrier}});
  EXPECT_TRUE(says(problem, "enters edge 0 a second time")) << problem;
}
