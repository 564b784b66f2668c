// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The validator finds what is wrong: each case is a schedule with one defect.
#include <gtest/gtest.h>

#include <climits>
#include <string>
#include <vector>

#include "tests/schedule/listed.hpp"

namespace {

using namespace upwash::schedule;

constexpr piece half_input{buffer::input, 0, 4};

}  // namespace

TEST(validate, accepts_a_correct_transfer) {
  EXPECT_EQ(problem_of({{send(1, 0, whole_input)}, {receive(0, 0, whole_output)}}), "");
}

TEST(validate, finds_a_receive_without_a_send) {
  const std::string problem = problem_of({{}, {receive(0, 0, whole_output)}});
  EXPECT_TRUE(
      says(problem,
           "deadlock: rank 1, step 0 (receive, round 0) waits for edge 0 from rank 0, which "
           "has not sent it, and 0 other steps wait"))
      << problem;
}

TEST(validate, finds_ranks_that_do_not_exist) {
  const auto refused = [](const step& s) { return problem_of({{s}, {}}); };
  for (const int peer : {-1, 2, INT_MAX, INT_MIN}) {
    const std::string name = "names rank " + std::to_string(peer) + " of 2";
    step placed = send(peer, 0, whole_input);
    placed.placed = true;
    placed.into = whole_output;
    for (const step& s : {send(peer, 0, whole_input), receive(peer, 0, whole_output), placed}) {
      EXPECT_TRUE(says(refused(s), name)) << refused(s);
    }
  }
  EXPECT_TRUE(says(refused(copy(whole_input.of_rank(2), whole_output)), "names rank 2 of 2"));
}

/// Copies without end.
TEST(validate, ends_for_an_algorithm_that_does_not) {
  struct endless {
    steps operator()(script& out) const {
      for (;;) co_yield out.copy(whole_input, whole_output);
    }
  };
  expectation of;
  of.input_bytes = of.output_bytes = 8;
  const std::string problem = validate(
      of, [](int) { return generator(needs{.window = 1}, endless{}); },
      [](int, std::uint64_t) { return abstract_value{}; }, 1);
  EXPECT_TRUE(says(problem, "it seems never to end")) << problem;
}

TEST(validate, finds_a_send_without_a_receive) {
  const std::string problem = problem_of(
      {{send(1, 0, whole_input), send(1, 7, whole_input)}, {receive(0, 0, whole_output)}});
  EXPECT_TRUE(says(problem, "rank 0 sent edge 7 to rank 1, which never receives it")) << problem;
}

TEST(validate, finds_an_edge_used_twice) {
  const std::string problem =
      problem_of({{send(1, 0, whole_input), send(1, 0, whole_input)},
                  {receive(0, 0, whole_output), after(1, receive(0, 0, whole_output))}});
  EXPECT_TRUE(says(problem, "rank 0 sends edge 0 to rank 1 2 times")) << problem;
}

TEST(validate, finds_edges_that_are_not_apart_as_said) {
  needs says_so = needs_of_listed;
  says_so.edges_apart = true;
  const auto problem = [&](std::uint32_t edge) {
    const std::vector<std::vector<step>> ranks{
        {send(1, 0, {})}, {receive(0, 0, {}), receive(2, edge, {})}, {send(1, edge, {})}};
    expectation of;
    of.ranks = 3;
    return validate(
        of, [&](int rank) { return list_of(ranks[static_cast<std::size_t>(rank)], says_so); },
        [](int, std::uint64_t) { return abstract_value{}; }, 1);
  };
  EXPECT_EQ(problem(1), "");
  EXPECT_TRUE(says(problem(0), "rank 1 receives edge 0 from rank 0 and from rank 2"));
}

TEST(validate, finds_ranks_that_are_not_alike_as_said) {
  needs says_so = needs_of_listed;
  says_so.alike = true;
  const auto problem = [&](const std::vector<std::vector<step>>& ranks) {
    expectation of;
    of.ranks = 2;
    return validate(
        of, [&](int rank) { return list_of(ranks[static_cast<std::size_t>(rank)], says_so); },
        [](int, std::uint64_t) { return abstract_value{}; }, 1);
  };
  EXPECT_EQ(problem({{send(1, 0, {}), receive(1, 0, {})}, {send(0, 0, {}), receive(0, 0, {})}}),
            "");
  std::string wrong =
      problem({{send(1, 0, {}), receive(1, 0, {})}, {receive(0, 0, {}), send(0, 0, {})}});
  EXPECT_TRUE(says(wrong, "rank 1 says that it does as rank 0 does, but not in step 0")) << wrong;
  wrong = problem({{}, {step_of(step_kind::stage)}});
  EXPECT_TRUE(says(wrong, "not in step 0")) << wrong;
}

TEST(validate, finds_sizes_that_differ) {
  const std::string problem = problem_of({{send(1, 0, half_input)}, {receive(0, 0, whole_output)}});
  EXPECT_TRUE(says(problem, "receives 8 elements as edge 0 from rank 0, which sent 4")) << problem;
  EXPECT_TRUE(says(problem_of({{copy(half_input, whole_output)}}), "copies 4 bytes into 8"));
}

TEST(validate, finds_a_race) {
  const step late = copy(whole_scratch, whole_output);
  const std::string problem =
      problem_of({{send(1, 0, whole_input)}, {receive(0, 0, whole_output), late}});
  EXPECT_TRUE(says(problem, "touch the same bytes in no order")) << problem;
}

TEST(validate, takes_after_all_for_an_order) {
  const auto with_last = [](const step& last) {
    return problem_of(
        {{send(1, 0, half_input), send(1, 1, {buffer::input, 4, 4})},
         {receive(0, 0, {buffer::scratch, 0, 4}), receive(0, 1, {buffer::scratch, 4, 4}), last}});
  };
  const step last = copy(whole_scratch, whole_output);
  EXPECT_EQ(with_last(after_all(last)), "");
  EXPECT_TRUE(says(with_last(after(1, last)), "touch the same bytes in no order"));
}

TEST(validate, finds_a_wrong_result) {
  const std::string problem =
      problem_of({{send(1, 0, half_input)}, {receive(0, 0, {buffer::output, 4, 4})}});
  EXPECT_TRUE(says(problem, "rank 1, element 0 of the output")) << problem;
}

TEST(validate, finds_pieces_outside_their_buffer_and_waits_outside_the_window) {
  EXPECT_TRUE(says(problem_of({{send(1, 0, {buffer::input, 4, 8})}, {}}), "leave it"));
  EXPECT_TRUE(
      says(problem_of({{send(1, 0, {buffer::input, ~std::uint64_t{0}, 1})}, {}}), "leave it"));
  const std::string problem =
      problem_of({{send(1, 0, whole_input)}, {after(2, receive(0, 0, whole_output))}});
  EXPECT_TRUE(says(problem, "waits for 2 steps back")) << problem;
}

TEST(validate, finds_writes_to_inputs_and_into_the_middle_of_operands) {
  EXPECT_TRUE(says(problem_of({{copy(whole_output, whole_input)}}), "writes to an input"));
  step shifted = step_of(step_kind::reduce);
  shifted.left = half_input;
  shifted.right = {buffer::output, 0, 4};
  shifted.into = {buffer::output, 2, 4};
  EXPECT_TRUE(says(problem_of({{shifted}}), "into the middle of what it combines"));
}

TEST(validate, finds_a_deadlock_of_an_executor_that_keeps_few_steps_open) {
  const auto side = [](int peer, int receives) {
    std::vector<step> all;
    for (int i = 0; i < receives; ++i) {
      all.push_back(receive(peer, static_cast<std::uint32_t>(i), {}));
    }
    for (int i = 0; i < receives; ++i) {
      all.push_back(send(peer, static_cast<std::uint32_t>(i), {}));
    }
    return all;
  };
  const auto problem = [&](int receives, std::uint32_t open_steps = 0) {
    expectation of;
    of.ranks = 2;
    of.open_steps = open_steps;
    return validate(
        of, [&](int rank) { return list_of(side(1 - rank, receives)); },
        [](int, std::uint64_t) { return abstract_value{}; }, 3);
  };
  EXPECT_EQ(problem(31), "");
  EXPECT_TRUE(says(problem(32), "deadlock: rank 0, step 0 (receive")) << problem(32);
  EXPECT_EQ(problem(32, 33), "");
  EXPECT_TRUE(says(problem(1, 1), "deadlock: rank 0, step 0 (receive")) << problem(1, 1);
}

TEST(validate, wants_both_ends_to_agree_on_a_place) {
  step sends = send(1, 0, whole_input);
  sends.placed = true;
  sends.into = of_rank(1, whole_output);
  step receives = receive(0, 0, whole_output);
  EXPECT_TRUE(says(problem_of({{sends}, {receives}}), "do not agree on the place"));
  receives.placed = true;
  EXPECT_EQ(problem_of({{sends}, {receives}}), "");
  sends.into.offset = 4;
  EXPECT_TRUE(says(problem_of({{sends}, {receives}}), "leave it"));
  sends.into = receives.into = whole_scratch;
  EXPECT_TRUE(says(problem_of({{sends}, {receives}}), "is placed in scratch"));
  sends.into = of_rank(1, whole_output);
  receives.into = whole_output;
  // What is placed may come at once, whatever its receive waits for.
  sends.into.offset = 0;
  const step before = copy(whole_input, whole_output);
  const std::string problem = problem_of({{sends}, {before, after(1, receives)}});
  EXPECT_TRUE(says(problem, "touch the same bytes in no order")) << problem;
}

namespace {

steps copy_as_given(script& out) {
  const std::uint64_t bytes = out.given(2)[0];
  co_yield out.copy({buffer::input, 0, bytes}, {buffer::output, 0, bytes});
}

}  // namespace

TEST(validate, hands_each_rank_its_own_arrays_and_sizes) {
  expectation of;
  of.ranks = 2;
  of.calls.resize(2);
  for (std::uint64_t rank = 0; rank < 2; ++rank) {
    rank_call& call = of.calls[rank];
    call.given[2] = {5 * rank};
    call.input_bytes = call.output_bytes = 5 * rank;
  }
  const auto problem = [&] {
    return validate(
        of, [](int) { return generator({}, [](script& out) { return copy_as_given(out); }); },
        [](int rank, std::uint64_t e) {
          return abstract_value{{rank, static_cast<std::uint32_t>(e)}};
        },
        1);
  };
  EXPECT_EQ(problem(), "");
  of.calls[1].given[2][0] = 4;
  EXPECT_TRUE(says(problem(), "rank 1, element 4 of the output"));
}

TEST(validate, finds_deadlocks_of_large_sends) {
  // Each sends before it receives: harmless while messages are kept, not in a window of one step.
  expectation of;
  of.ranks = 2;
  of.input_bytes = of.output_bytes = 8;
  const auto exchange = [](int rank) {
    step receives = receive(1 - rank, 0, whole_output);
    step sends = send(1 - rank, 0, whole_input);
    return list_of({sends, receives});
  };
  const auto problem = [&](bool sends_wait, std::uint32_t open_steps) {
    of.sends_wait = sends_wait;
    of.open_steps = open_steps;
    return validate(
        of, exchange, [](int, std::uint64_t) { return abstract_value{}; }, 1);
  };
  EXPECT_EQ(problem(false, 1), "");
  EXPECT_EQ(problem(true, 0), "");
  EXPECT_TRUE(says(problem(true, 1), "deadlock")) << problem(true, 1);
}
