// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The validator follows words that are known only at run time, and finds who uses them too early.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/schedule/listed.hpp"

namespace {

using namespace upwash::schedule;

step with_header(slots words, step s) {
  s.header = words;
  return s;
}

step with_length_slot(std::int32_t slot, step s) {
  s.length_slot = slot;
  return s;
}

/// Rank 0 tells its length in a header; rank 1 takes so much into grown scratch, and out of it.
struct told_length {
  bool stages = true;
  std::uint64_t grows = 8;
  bool rewrites = false;
};

constexpr slots the_length{1, 1};

steps tell(script& out, told_length with) {
  out.words()[1] = 8;
  co_yield out.send(1, 0, {}).with_header(the_length);
  if (with.rewrites) out.words()[1] = 8;
  co_yield out.send(1, 1, whole_input);
  if (!with.rewrites) co_return;
  out.words()[1] = 9;
  co_yield out.send(1, 2, {}).with_header(the_length);
}

steps take_told(script& out, told_length with) {
  mark before = co_yield out.receive(0, 0, {}).with_header(the_length);
  if (with.stages) before = co_yield out.grow(with.grows).after(before);
  const std::uint64_t length = out.words()[1];
  before = co_yield out.receive(0, 1, {buffer::scratch, 0, length}).after(before);
  co_yield out.copy({buffer::scratch, 0, length}, {buffer::output, 0, length}).after(before);
}

std::string told_problem(told_length receiver, told_length sender = {}) {
  const needs wants{.window = 1, .slots = 2};
  expectation of;
  of.ranks = 2;
  of.input_bytes = of.output_bytes = 8;
  return validate(
      of,
      [&](int rank) {
        return rank == 0 ? generator(wants, [=](script& out) { return tell(out, sender); })
                         : generator(wants, [=](script& out) { return take_told(out, receiver); });
      },
      [](int rank, std::uint64_t e) {
        return rank == 1 ? abstract_value{{0, static_cast<std::uint32_t>(e)}} : abstract_value{};
      },
      1);
}

}  // namespace

TEST(validate, lets_words_flow_in_headers_and_scratch_grow) { EXPECT_EQ(told_problem({}), ""); }

TEST(validate, finds_a_generator_that_reads_a_slot_before_a_stage) {
  const std::string problem = told_problem({.stages = false});
  EXPECT_TRUE(says(problem, "of scratch leave it")) << problem;
}

TEST(validate, finds_scratch_that_has_not_grown) {
  const std::string problem = told_problem({.grows = 7});
  EXPECT_TRUE(says(problem, "8 bytes at 0 of scratch leave it")) << problem;
}

TEST(validate, has_a_stage_that_grows_the_scratch_wait_for_all) {
  // Rank 0 answers only what rank 1 says behind its stage.
  step stage = step_of(step_kind::stage);
  const auto problem = [&] {
    return problem_of({{receive(1, 1, {}), after(1, send(1, 0, whole_input))},
                       {receive(0, 0, whole_output), stage, send(0, 1, {})}});
  };
  EXPECT_EQ(problem(), "");
  stage.into = {buffer::scratch, 0, 16};
  EXPECT_TRUE(says(problem(), "deadlock: rank 0, step 0 (receive")) << problem();
}

TEST(validate, finds_a_generator_that_writes_a_slot_in_use) {
  const std::string problem = told_problem({}, {.rewrites = true});
  EXPECT_TRUE(says(problem, "the generator of rank 0 writes slot 1 before step 2")) << problem;
}

/// Writes one word, be it a slot or none.
struct stray_word {
  std::int64_t at;
  steps operator()(script& out) const { return write(out, at); }
  static steps write(script& out, std::int64_t at) {
    co_yield out.stage();
    out.words().data()[at] = 8;
    co_yield out.copy(whole_input, whole_output);
  }
};

TEST(validate, finds_a_generator_that_writes_outside_of_its_slots) {
  const auto problem = [](std::uint32_t slots, std::int64_t at) {
    expectation of;
    of.input_bytes = of.output_bytes = 8;
    return validate(
        of, [&](int) { return generator(needs{.window = 1, .slots = slots}, stray_word{at}); },
        [](int, std::uint64_t) { return abstract_value{}; }, 1);
  };
  EXPECT_EQ(problem(2, 1), "");
  for (const auto& [slots, at] : {std::pair(0U, 0), {2U, 2}, {2U, 200}, {2U, -1}, {0U, -9}}) {
    const std::string wanted = "the generator of rank 0 writes slot " + std::to_string(at) +
                               " before step 1; it declares " + std::to_string(slots);
    EXPECT_TRUE(says(problem(slots, at), wanted)) << problem(slots, at);
  }
}

TEST(validate, finds_headers_that_differ) {
  const std::string problem =
      problem_of({{with_header({0, 2}, send(1, 0, whole_input))}, {receive(0, 0, whole_output)}});
  EXPECT_TRUE(says(problem, "takes 0 header words")) << problem;
  const step outside = with_header({3, 2}, send(1, 0, whole_input));
  EXPECT_TRUE(says(problem_of({{outside}, {}}), "names slot 4; the generator declares 4"));
}

TEST(validate, takes_less_than_the_most_where_a_slot_gets_the_length) {
  const auto problem = [](std::uint64_t sent, std::uint64_t most) {
    return problem_of(
        {{send(1, 0, {buffer::input, 0, sent}), send(1, 1, {buffer::input, sent, 8 - sent})},
         {with_length_slot(2, receive(0, 0, {buffer::output, 0, most})),
          after(1, receive(0, 1, {buffer::output, sent, 8 - sent}))}});
  };
  EXPECT_EQ(problem(3, 8), "");
  EXPECT_TRUE(says(problem(3, 2), "receives 2 elements as edge 0 from rank 0, which sent 3"));
}

TEST(validate, finds_races_for_slots) {
  const step words = with_header({0, 1}, receive(0, 0, {}));
  const step length = with_length_slot(0, receive(0, 1, whole_output));
  const std::vector<step> sender{with_header({0, 1}, send(1, 0, {})), send(1, 1, whole_input)};
  EXPECT_EQ(problem_of({sender, {words, after(1, length)}}), "");
  const std::string problem = problem_of({sender, {words, length}});
  EXPECT_TRUE(says(problem, "touch the same slots in no order")) << problem;
}

TEST(validate, lets_slots_grow_at_a_stage_behind_all) {
  step grow = after_all(with_header({0, 6}, step_of(step_kind::stage)));
  const auto problem = [&] {
    return problem_of({{grow, with_header({5, 1}, send(1, 0, whole_input))},
                       {grow, with_header({4, 1}, receive(0, 0, whole_output))}});
  };
  EXPECT_EQ(problem(), "");
  grow.header = {0, 5};
  EXPECT_TRUE(says(problem(), "names slot 5; the generator declares 5")) << problem();
  grow.after_all = false;
  EXPECT_TRUE(says(problem(), "grows the slots, but does not wait for all")) << problem();
}

TEST(validate, finds_headers_that_count_their_words_wrongly) {
  const auto counted = [](step s) {
    s.counted = true;
    return with_header({0, 2}, s);
  };
  // The slots are zero, so the first word says that there are none.
  std::string problem =
      problem_of({{counted(send(1, 0, whole_input))}, {counted(receive(0, 0, whole_output))}});
  EXPECT_TRUE(says(problem, "takes 2 header words; rank 0, step 0 (send")) << problem;
  problem = problem_of(
      {{counted(send(1, 0, whole_input))}, {with_header({0, 2}, receive(0, 0, whole_output))}});
  EXPECT_TRUE(says(problem, "takes 2 header words")) << problem;
}
