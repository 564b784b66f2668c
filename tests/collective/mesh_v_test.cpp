// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange of uneven blocks over grids: valid with any lengths, its messages counted where the
// headers really flow, and how little it looks at before it begins.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "tests/collective/header_run.hpp"
#include "tests/collective/uneven_call.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all_v.hpp"
#include "upwash/schedule/count.hpp"
#include "upwash/schedule/validate.hpp"

namespace {

using namespace upwash::collective;
using namespace upwash::schedule;
using upwash::test::header_run;
using upwash::test::in_a_small_window;
using upwash::test::uneven_call;

bool long_run() { return std::getenv("UPWASH_TEST_LONG") != nullptr; }
constexpr int most_ranks = 70;
std::uint64_t seeds() { return long_run() ? 5 : 1; }

std::uint64_t wide(int number) { return static_cast<std::uint64_t>(number); }

/// What rank `rank` must find in byte `e` of its output.
abstract_value wanted_of(const expectation& of, int rank, std::uint64_t e) {
  const rank_call& call = of.calls[wide(rank)];
  for (int source = 0; source < of.ranks; ++source) {
    const std::uint64_t begin = call.given[3][wide(source)];
    if (e < begin || e >= begin + call.given[2][wide(source)]) continue;
    const std::uint64_t at_source = of.calls[wide(source)].given[1][wide(rank)];
    return {{source, static_cast<std::uint32_t>(at_source + e - begin)}};
  }
  return {};  // a gap
}

std::string validate_uneven(const expectation& of, mesh_v_parameters with, std::uint64_t seed) {
  return validate(
      of,
      [&](int rank) {
        if (seed % 2 == 1) return generator(mesh_all_to_all_v(of.ranks, rank, with));
        return in_a_small_window(mesh_all_to_all_v(of.ranks, rank, with));
      },
      [&](int rank, std::uint64_t e) { return wanted_of(of, rank, e); }, seed);
}

header_run run_of(const expectation& of, mesh_v_parameters with) {
  return header_run(of, 9,
                    [&](int rank) { return generator(mesh_all_to_all_v(of.ranks, rank, with)); });
}

/// Words of zeroes, of which it tells how much was looked at.
class watched_words {
 public:
  explicit watched_words(std::size_t count)
      : bytes_(count * sizeof(std::uint64_t)),
        at_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    ::madvise(at_, bytes_, MADV_NOHUGEPAGE);
  }
  ~watched_words() { ::munmap(at_, bytes_); }
  watched_words(const watched_words&) = delete;
  watched_words& operator=(const watched_words&) = delete;

  [[nodiscard]] bool is_there() const { return at_ != MAP_FAILED; }
  [[nodiscard]] std::span<std::uint64_t> all() const {
    return {static_cast<std::uint64_t*>(at_), bytes_ / sizeof(std::uint64_t)};
  }
  [[nodiscard]] std::size_t pages_touched() const {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> resident((bytes_ + page - 1) / page);
    EXPECT_EQ(::mincore(at_, bytes_, resident.data()), 0);
    return static_cast<std::size_t>(
        std::count_if(resident.begin(), resident.end(), [](unsigned char r) { return r & 1U; }));
  }

 private:
  std::size_t bytes_;
  void* at_;
};

}  // namespace

TEST(mesh_all_to_all_v, takes_any_lengths_on_any_grid) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
      // Many pairs have nothing, a few have much more than the rest.
      const auto length = [&](int from, int to) {
        const std::uint64_t draw = upwash::random_bits(seed, wide(ranks), wide(from * 97 + to));
        return draw % 3 == 0 ? 0 : draw % 17 == 1 ? 40 + draw / 17 % 30 : draw / 17 % 4;
      };
      const auto room = static_cast<std::uint32_t>(upwash::random_bits(seed, 1, wide(ranks)) % 60);
      const expectation of = uneven_call(ranks, seed % 3, length);
      for (const int dimensions : {3, 1 + ranks % 4}) {
        ASSERT_EQ(validate_uneven(of, {dimensions, room}, seed + wide(ranks)), "")
            << ranks << " ranks, seed " << seed << ", " << dimensions << "-D, room " << room;
        ASSERT_TRUE(run_of(of, {dimensions, room}).finished());
      }
    }
  }
}

TEST(mesh_all_to_all_v, sends_a_message_a_peer_and_phase_and_a_second_for_what_is_long) {
  for (const int side : {2, 3, 4, 6}) {
    const int ranks = side * side * side;
    const std::uint64_t peers = wide(side - 1);
    const std::uint64_t blocks = wide(side * side);
    for (const std::uint64_t bytes :
         {std::uint64_t{0}, std::uint64_t{20}, std::uint64_t{3} << 31U}) {
      const header_run run =
          run_of(uneven_call(ranks, 0, [&](int, int) { return bytes; }), {3, 4000});
      ASSERT_TRUE(run.finished());
      for (const int rank : {0, ranks / 2, ranks - 1}) {
        const header_run::sent& sum = run.of(rank);
        EXPECT_EQ(sum.messages, (blocks * bytes <= 4000 ? 3 : 5) * peers);
        EXPECT_EQ(sum.bytes, 3 * peers * blocks * bytes);  // equation 3.6
        EXPECT_EQ(sum.longest, blocks * bytes);
        EXPECT_EQ(sum.words, 2 * peers * blocks);
        // Two phases' bundles, what is sent, what comes; and the room for short messages.
        EXPECT_LE(sum.scratch, 4 * wide(ranks) * bytes + (2 * wide(side) + 1) * 4000);
        EXPECT_LE(sum.stages, 50U);
#if defined(NDEBUG) && defined(__OPTIMIZE__)
        EXPECT_TRUE(upwash::test::sanitized || sum.frame_bytes < 1024) << sum.frame_bytes;
#endif
      }
    }
  }
}

TEST(mesh_all_to_all_v, sends_empty_messages_too) {
  for (const int ranks : {5, 23, 31, 60, 100}) {
    const header_run empty =
        run_of(uneven_call(ranks, 0, [](int, int) { return std::uint64_t{0}; }), {});
    const header_run one = run_of(
        uneven_call(ranks, 0, [](int from, int) { return std::uint64_t{from == 4 ? 10U : 0U}; }),
        {});
    ASSERT_TRUE(empty.finished() && one.finished());
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(empty.of(rank).messages,
                count(generator(mesh_all_to_all(ranks, rank, 0, {}))).messages_sent);
      EXPECT_EQ(one.of(rank).messages, empty.of(rank).messages);
    }
  }
}

TEST(mesh_all_to_all_v, knows_the_lengths_in_one_dimension) {
  const header_run run =
      run_of(uneven_call(40, 0, [](int from, int) { return wide(from) * 1000; }), {1, 4000});
  ASSERT_TRUE(run.finished());
  EXPECT_EQ(run.of(39).messages, 39U);
  EXPECT_EQ(run.of(39).bytes, 39U * 39'000U);
  EXPECT_EQ(run.of(39).words, 0U);
  EXPECT_EQ(run.of(39).scratch, 0U);
}

TEST(mesh_all_to_all_v, looks_at_few_words_before_the_first_steps) {
  constexpr int ranks = 1 << 24U;  // 32,768 pages of words
  generator steps(mesh_all_to_all_v(ranks, 7'777'777, {}));
  const watched_words given(ranks);
  const watched_words slots(steps.wants().slots);
  ASSERT_TRUE(given.is_there() && slots.is_there());
  facts known;
  known.given.fill(given.all());
  known.slots = slots.all();
  step s;
  ASSERT_TRUE(steps.next(s, known));
  EXPECT_LE(given.pages_touched(), 2U);
  for (int i = 1; i < 1000; ++i) ASSERT_TRUE(steps.next(s, known));
  EXPECT_GT(given.pages_touched(), 0U);
  EXPECT_LE(given.pages_touched(), 1000U);
  EXPECT_LE(slots.pages_touched(), 1000U);
}

TEST(mesh_all_to_all_v, says_what_is_wrong_with_the_lengths) {
  generator without(mesh_all_to_all_v(8, 3, {}));
  step s;
  try {
    without.next(s);
    FAIL() << "no arrays, and no error";
  } catch (const upwash::error& why) {
    EXPECT_STREQ(why.what(),
                 "mesh_all_to_all_v on 8 ranks: array 0 has 0 words; give the lengths and offsets "
                 "to send and to receive, a word a rank each");
  }
  expectation of = uneven_call(1, 0, [](int, int) { return std::uint64_t{5}; });
  of.calls[0].given[2][0] = 6;
  try {
    const header_run run = run_of(of, {});
    FAIL() << "lengths differ, and no error";
  } catch (const upwash::error& why) {
    EXPECT_STREQ(why.what(),
                 "rank 0: 5 bytes came from rank 0 where 6 were expected; the members must agree "
                 "on each pair's length");
  }
}
