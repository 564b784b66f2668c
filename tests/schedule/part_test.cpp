// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Coroutines that go through others: order, places, entries, memory, and ends before the end.
#include "upwash/schedule/part.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/schedule/generator.hpp"

namespace {

using namespace upwash::schedule;

piece room(std::uint64_t at) { return {buffer::output, at, 4}; }

/// Receives edges 0, 1, ... from position 1, each behind the one before.
steps receive_some(script& out, std::uint32_t count) {
  mark here = never;
  for (std::uint32_t i = 0; i < count; ++i) {
    here = co_yield out.receive(1, i, room(i)).after(here);
  }
}

std::vector<step> all_of(generator from) {
  std::vector<step> all;
  for (step s; from.next(s);) all.push_back(s);
  return all;
}

template <class Recipe>
std::vector<step> all_of(const Recipe& from) {
  return all_of(generator({.window = 8}, from));
}

std::string edges_of(const std::vector<step>& all) {
  std::string text;
  for (const step& s : all) text += std::to_string(s.edge) + ' ';
  return text;
}

steps around(script& out, std::uint32_t count, embedding as) {
  co_yield out.send(2, 90, room(0));
  part inner(out, receive_some(out, count), as);
  co_await inner.all();
  co_yield out.send(2, 91, room(0));
}

}  // namespace

TEST(parts, are_gone_through_to_their_end) {
  for (std::uint32_t count = 0; count < 4; ++count) {
    const auto all = all_of([=](script& out) { return around(out, count, {}); });
    ASSERT_EQ(all.size(), count + 2);
    EXPECT_EQ(all.front().edge, 90U);
    for (std::uint32_t i = 0; i < count; ++i) {
      EXPECT_EQ(all[i + 1].edge, i);
      EXPECT_EQ(all[i + 1].after[0], i == 0 ? 0U : 1U);
    }
    EXPECT_EQ(all.back().edge, 91U);
  }
}

TEST(parts, lie_where_they_are_placed) {
  const embedding as{.among = {.first = 10, .stride = 5, .odd_position = 3, .odd_rank = 7},
                     .first_edge = 100,
                     .first_round = 20};
  const auto all = all_of([=](script& out) { return around(out, 2, as); });
  EXPECT_EQ(edges_of(all), "90 100 101 91 ");
  EXPECT_EQ(all[1].peer, 15);
  EXPECT_EQ(all[2].round, 21U);
  EXPECT_EQ(all[3].peer, 2) << "the step behind is not one of the part";
}

namespace {

/// A send and a receive that wait for nothing.
steps swap_with_two(script& out) {
  co_yield out.send(2, 0, room(0));
  co_yield out.receive(2, 0, room(8));
}

steps behind_one(script& out, embedding as) {
  as.entry = co_yield out.copy(room(0), room(4));
  part inner(out, swap_with_two(out), as);
  co_await inner.all();
}

}  // namespace

TEST(parts, lie_in_other_buffers_among_listed_members) {
  const int listed[] = {4, 9, 6};
  embedding as{.listed = listed, .output_at = 100, .output_in = buffer::shared};
  const auto all = all_of([=](script& out) { return behind_one(out, as); });
  EXPECT_EQ(all[1].peer, 6);
  EXPECT_EQ(all[1].left, (piece{buffer::shared, 100, 4}));
  EXPECT_EQ(all[2].into, (piece{buffer::shared, 108, 4}));
  EXPECT_EQ(all[1].after[0], 1U);
  EXPECT_EQ(all[2].after[0], 2U);
  as.receives_at_once = true;
  as.among = {.odd_position = 2, .odd_rank = 11};
  const auto other = all_of([=](script& out) { return behind_one(out, as); });
  EXPECT_EQ(other[1].peer, 11) << "the odd one is none of those listed";
  EXPECT_EQ(other[1].after[0], 1U);
  EXPECT_EQ(other[2].after[0], 0U);
}

TEST(parts, name_members_by_position) {
  constexpr members among{.first = 2, .stride = 5, .odd_position = 1, .odd_rank = 9};
  EXPECT_EQ(among.rank_of(0), 2);
  EXPECT_EQ(among.rank_of(1), 9);
  EXPECT_EQ(among.rank_of(2), 12);
}

namespace {

steps copy_of_rank(script& out, int owner) {
  co_yield out.copy(piece{buffer::input, 0, 4, owner}, room(0));
}

steps around_copy(script& out, int owner) {
  part inner(out, copy_of_rank(out, owner), {.among = {.first = 10, .stride = 2}});
  co_await inner.all();
}

}  // namespace

TEST(parts, name_owners_of_memory_too) {
  const auto all = all_of([](script& out) { return around_copy(out, 2); });
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].left.owner, 14);
  EXPECT_EQ(all[0].into.owner, own);
  EXPECT_EQ(all[0].peer, own);
}

TEST(parts, may_begin_as_generators_do) {
  const generator inner({.window = 2}, [](script& out) { return copy_of_rank(out, 3); });
  const auto all = all_of([&inner](script& out) { return inner.begin(out); });
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].left.owner, 3);
}

TEST(parts, enter_where_they_are_told) {
  const auto all = all_of([](script& out) -> steps {
    return [](script& to) -> steps {
      const mark first = co_yield to.copy(room(0), room(8));
      co_yield to.copy(room(0), room(16));
      part inner(to, receive_some(to, 2), {.entry = first});
      co_await inner.all();
    }(out);
  });
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[2].after[0], 2U);
  EXPECT_EQ(all[3].after[0], 1U) << "what waits already waits for nothing else";
}

namespace {

steps two_sends(script& out) {
  co_yield out.send(0, 0, room(0));
  co_yield out.send(1, 1, room(0));
}

steps behind_all(script& out) {
  co_yield out.copy(room(0), room(8));
  part inner(out, two_sends(out), {.behind_all = true});
  co_await inner.all();
}

}  // namespace

TEST(parts, behind_all_begin_with_a_step_that_waits) {
  const auto all = all_of([](script& out) { return behind_all(out); });
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(all[1].after_all);
  EXPECT_FALSE(all[2].after_all);
  EXPECT_EQ(all[2].after[0], 1U);
}

namespace {

steps by_turns(script& out, std::uint32_t first, std::uint32_t second) {
  part one(out, receive_some(out, first), {.first_edge = 10});
  part other(out, receive_some(out, second), {.first_edge = 20});
  bool more = true;
  while (more) {
    more = co_await one.one();
    const bool more_of_other = co_await other.one();
    more = more || more_of_other;
  }
}

steps nested(script& out, int depth) {
  if (depth == 0) {
    co_yield out.send(1, 0, room(0));
    co_return;
  }
  co_yield out.send(1, 1, room(0));
  part inner(out, nested(out, depth - 1), {.among = {.first = 1}, .first_edge = 10});
  co_await inner.all();
  co_yield out.send(1, 2, room(0));
}

steps nested_by_turns(script& out) {
  part one(out, nested(out, 2));
  part other(out, two_sends(out), {.first_edge = 70});
  for (bool more = true; more;) {
    more = co_await one.one();
    co_await other.one();
  }
}

}  // namespace

TEST(parts, take_turns) {
  const auto edges = [](std::uint32_t first, std::uint32_t second) {
    return edges_of(all_of([=](script& out) { return by_turns(out, first, second); }));
  };
  EXPECT_EQ(edges(3, 3), "10 20 11 21 12 22 ");
  EXPECT_EQ(edges(1, 3), "10 20 21 22 ");
  EXPECT_EQ(edges(2, 0), "10 11 ");
  EXPECT_EQ(edges(0, 0), "");
}

TEST(parts, of_parts_are_placed_in_both) {
  const auto all = all_of([](script& out) { return nested(out, 3); });
  EXPECT_EQ(edges_of(all), "1 11 21 30 22 12 2 ");
  EXPECT_EQ(all[3].peer, 4);
  EXPECT_EQ(all[4].peer, 3);
}

TEST(parts, of_parts_take_turns_too) {
  EXPECT_EQ(edges_of(all_of([](script& out) { return nested_by_turns(out); })),
            "1 70 11 71 20 12 2 ");
}

TEST(parts, too_deep_in_each_other_are_refused) {
  EXPECT_THROW(all_of([](script& out) { return nested(out, 12); }), std::logic_error);
}

namespace {

/// A part again and again, of an object that keeps marks between them.
struct relay {
  mark here = never;
  steps pass(script& out, std::uint32_t segment) {
    here = co_yield out.receive(1, segment, room(segment)).after(here);
    co_yield out.send(3, segment, room(segment)).after(here);
  }
};

steps relayed(script& out, std::uint64_t count) {
  relay state;
  rounds segments(out, count, 2);
  while (co_await segments.next()) {
    part one(out, state.pass(out, static_cast<std::uint32_t>(segments.now())));
    co_await one.all();
  }
}

steps fails(script& out) {
  co_yield out.send(1, 0, room(0));
  throw std::runtime_error("no more");
}

steps around_what_fails(script& out) {
  part inner(out, fails(out));
  co_await inner.all();
}

}  // namespace

TEST(parts, again_and_again_use_the_same_memory) {
  generator few({.window = 8}, [](script& out) { return relayed(out, 2); });
  generator many({.window = 8}, [](script& out) { return relayed(out, 2000); });
  step s;
  while (few.next(s)) {
  }
  std::uint64_t emitted = 0;
  while (many.next(s)) ++emitted;
  EXPECT_EQ(emitted, 4000U);
  EXPECT_EQ(many.frame_bytes(), few.frame_bytes());
}

TEST(parts, are_passed_over_with_the_rounds_that_they_are_in) {
  const std::vector<step> walked = all_of([](script& out) { return relayed(out, 50); });
  generator skipping({.window = 8}, [](script& out) { return relayed(out, 50); });
  step s;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(skipping.repeats().rounds == 0, i % 2 == 1 || i >= 96) << i;
    ASSERT_TRUE(skipping.next(s));
  }
  const repetition found = skipping.repeats();
  EXPECT_EQ(found.rounds, 46U);
  skipping.skip(40);
  std::vector<step> rest;
  while (skipping.next(s)) rest.push_back(s);
  ASSERT_EQ(rest.size(), 12U);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    EXPECT_EQ(rest[i], walked[walked.size() - rest.size() + i]) << i;
  }
}

TEST(parts, end_with_what_they_are_parts_of) {
  for (int taken = 0; taken < 7; ++taken) {
    generator left({.window = 8}, [](script& out) { return nested(out, 3); });
    step s;
    for (int i = 0; i < taken; ++i) ASSERT_TRUE(left.next(s));
  }
}

namespace {

steps waits_too_much(script& out) {
  mark before[5];
  for (mark& each : before) each = co_yield out.send(1, 0, room(0));
  co_yield out.send(1, 5, room(0)).after(before[0], before[1], before[2]).after(before[3]);
  co_yield out.send(1, 6, room(0))
      .after(before[0], before[1], before[2])
      .after(before[3], before[4]);
}

steps writes_two(script& out) {
  const auto first = out.send(1, 0, room(0));
  const auto second = out.receive(1, 0, room(0));
  co_yield first;
  co_yield second;
}

steps forgets_the_last(script& out) {
  co_yield out.send(1, 0, room(0));
  static_cast<void>(out.receive(1, 0, room(0)));
}

steps emits_twice(script& out) {
  const auto one = out.send(1, 0, room(0));
  co_yield one;
  co_yield one;
}

/// The text of what it throws, behind so many steps.
template <class Recipe>
std::string thrown_behind(std::size_t count, const Recipe& from) {
  generator all({.window = 8}, from);
  step s;
  for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(all.next(s)) << i;
  try {
    static_cast<void>(all.next(s));
  } catch (const upwash::error& problem) {
    return problem.what();
  }
  return "nothing";
}

}  // namespace

TEST(steps, are_written_and_emitted_one_by_one) {
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(thrown_behind(6, [](script& out) { return waits_too_much(out); }), "more than four others");
  has(thrown_behind(0, [](script& out) { return writes_two(out); }), "was written and not emitted");
  has(thrown_behind(1, [](script& out) { return forgets_the_last(out); }),
      "was written and not emitted");
  has(thrown_behind(1, [](script& out) { return emits_twice(out); }), "nobody has written");
}

TEST(parts, that_fail_do_so_where_the_step_was_asked_for) {
  generator failing({.window = 8}, [](script& out) { return around_what_fails(out); });
  step s;
  ASSERT_TRUE(failing.next(s));
  EXPECT_THROW(failing.next(s), std::runtime_error);
  EXPECT_FALSE(failing.next(s)) << "nothing comes behind";
}

namespace {

/// Lengths change with the tens of the round.
steps by_tens(script& out, std::uint64_t count) {
  rounds turns(out, count);
  while (co_await turns.next(10 - static_cast<std::uint64_t>(turns.coming()) % 10)) {
    const auto turn = static_cast<std::uint32_t>(turns.now());
    co_yield out.send(1, turn, {buffer::output, 0, turn / 10});
  }
}

}  // namespace

TEST(rounds_of_several_lengths, are_passed_over_as_far_as_they_are_alike) {
  generator steps_of({.window = 1}, [](script& out) { return by_tens(out, 35); });
  step s;
  ASSERT_TRUE(steps_of.next(s));
  EXPECT_EQ(steps_of.repeats().rounds, 9U);
  steps_of.skip(4);
  EXPECT_EQ(steps_of.repeats().rounds, 5U) << "those passed over count no more";
  steps_of.skip(5);
  EXPECT_EQ(steps_of.repeats().rounds, 0U);
  ASSERT_TRUE(steps_of.next(s));
  EXPECT_EQ(s.left.bytes, 1U);
  EXPECT_EQ(s.edge, 10U);
  EXPECT_EQ(steps_of.repeats().rounds, 9U);
}

namespace {

steps nothing_at_all(script& /*out*/) { co_return; }

steps of_empty_parts(script& out, int count) {
  for (int i = 0; i < count; ++i) {
    part empty(out, nothing_at_all(out));
    co_await empty.all();
  }
  co_yield out.send(1, 7, room(0));
}

}  // namespace

TEST(parts, without_steps_take_no_stack) {
  EXPECT_EQ(edges_of(all_of([](script& out) { return of_empty_parts(out, 1'000'000); })), "7 ");
}
