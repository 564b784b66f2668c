// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checked runs on sim find conflicts of what leaves, or lands, long after its call: it is judged by
// what its rank had been told of then.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/onesided/conflict_programs.hpp"
#include "upwash/onesided/transfer.hpp"

namespace {

using namespace upwash;
using namespace upwash::test;

/// What takes long to leave; a region of its own, so that nothing else lies there.
struct large_area {
  explicit large_area(const area& in)
      : words(400'000), memory(allocate(in.here.world(), words.size() * sizeof(word))) {
    control::barrier(in.here.world());
  }
  void end(const area& in) {
    control::barrier(in.here.world());
    free(memory);
  }
  std::vector<word> words;
  region memory;
};

/// Rank 2 writes and is complete, rank 1 hears of it, and so does the owner from rank 1. What rank
/// 1 began before it heard lands behind all that.
template <class Begin>
void begin_before_news(const area& in, global_ptr<word> at, const Begin& begin) {
  const int rank = in.here.rank();
  const team world = in.here.world();
  if (rank == 0) receive_value(world, 1);
  if (rank == 1) {
    request going = begin();
    receive_value(world, 2);
    send_value(world, 0);
    going.wait();
  }
  if (rank == 2) {
    put(in.here, at, first(1)).wait();
    send_value(world, 1);
  }
}

/// The last pieces wait for credits; other messages overtake them.
void pieces_overtaken_by_news(area& in) {
  large_area large(in);
  begin_before_news(in, large.memory.at<word>(0, large.words.size() - 1),
                    [&] { return put(in.here, large.memory.at<word>(0), large.words); });
  large.end(in);
}

/// A call waits for what was put before it.
void a_call_behind_a_put(area& in) {
  large_area large(in);
  begin_before_news(in, in.at(4), [&] {
    put(in.here, large.memory.at<word>(0), large.words, implicit);
    const strided every_other{.bytes = 8, .levels = 1, .level = {{{4, 8, 16}}}};
    return put(in.here, in.at(4), first(4), every_other);
  });
  in.here.quiet();
  large.end(in);
}

/// All ranks know of the earlier write, and so much is written that what all know is forgotten.
void pieces_behind_much_that_all_know(area& in) {
  large_area large(in);
  constexpr std::uint64_t runs = 1500;
  region aside = allocate(in.here.world(), 2 * runs * sizeof(word));
  control::barrier(in.here.world());
  const int rank = in.here.rank();
  const team world = in.here.world();
  if (rank == 1) {
    request going = put(in.here, large.memory.at<word>(0), large.words);
    receive_value(world, 2);
    send_value(world, 3);
    going.wait();
  }
  if (rank == 2) {
    put(in.here, large.memory.at<word>(0, large.words.size() - 1), first(1)).wait();
    send_value(world, 1);
  }
  if (rank == 3) {
    receive_value(world, 1);
    const strided every_other{.bytes = 8, .levels = 1, .level = {{{runs, 8, 16}}}};
    put(in.here, aside.at<word>(0), large.words, every_other).wait();
  }
  control::barrier(world);
  free(aside);
  large.end(in);
}

constexpr std::uint64_t seeds = 20;

class late_conflicts : public testing::TestWithParam<bool> {};

/// Perturbation orders some by chance: through the owner, where it has spoken before the call.
TEST_P(late_conflicts, are_found) {
  for (const program each :
       {&pieces_overtaken_by_news, &a_call_behind_a_put, &pieces_behind_much_that_all_know}) {
    EXPECT_GT(times_found(each, GetParam(), seeds), seeds * 3 / 4);
  }
}

INSTANTIATE_TEST_SUITE_P(, late_conflicts, testing::Bool(), [](const auto& which) {
  return which.param ? "written_by_the_network" : "served_by_owners";
});

/// A put of several messages names its call with each.
void large_puts(area& in) {
  static const std::vector<word> many(400'000);
  region large = allocate(in.here.world(), many.size() * sizeof(word));
  control::barrier(in.here.world());
  const int rank = in.here.rank();
  if (rank == 1) put(in.here, large.at<word>(0, 0), many).wait();
  if (rank == 2) put(in.here, large.at<word>(0, many.size() - 1), first(1)).wait();
  control::barrier(in.here.world());
  free(large);
}

TEST(conflict_report, names_the_call_of_a_late_piece) {
  const std::string said = outcome_of(&large_puts, false, 0);
  const auto calls = said.find("large_puts");
  ASSERT_NE(calls, std::string::npos) << said;
  EXPECT_NE(said.find("large_puts", calls + 1), std::string::npos) << "both callers\n" << said;
}

}  // namespace
