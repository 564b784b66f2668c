// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A region with the word of a signal is not freed under the put that the signal comes behind, and
// goes at once when that is complete.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <regex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/onesided/jobs/served_world.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/random.hpp"
#include "upwash/onesided/fence.hpp"
#include "upwash/onesided/semaphore.hpp"
#include "upwash/onesided/transfer.hpp"

namespace {

using namespace upwash;
using word = std::uint64_t;

constexpr std::uint64_t most_words = 40'000;  // several messages
constexpr transfer_options in_messages{.packed_below = ~std::size_t{0}};
constexpr transfer_options in_runs{.packed_below = 0};

/// Every other word of the target.
constexpr strided spread{sizeof(word), 1, {{{20, sizeof(word), 2 * sizeof(word)}}}};

/// What is put where, and the sets whose words it adds to.
struct signalling {
  explicit signalling(job& in)
      : here(in),
        to((in.rank() + 1) % in.size()),
        data(allocate(in.world(), most_words * sizeof(word))),
        flags(allocate(in.world(), sizeof(word))),
        posts(in.world(), 1),
        pairs(in.world()),
        mine(most_words) {}

  [[nodiscard]] global_ptr<word> at() const { return data.at<word>(to); }
  [[nodiscard]] std::span<const word> first(std::size_t count) const {
    return std::span(mine).first(count);
  }
  [[nodiscard]] request put_flag(std::size_t count) {
    return put_signal(here, at(), first(count), signal_word{flags.at<word>(to), 1});
  }

  job& here;
  int to;
  region data;
  region flags;
  semaphore_set posts;
  notifications pairs;
  std::vector<word> mine;
};

using beginning = request (*)(signalling& with);

constexpr std::array<beginning, 3> to_flags{
    [](signalling& with) { return with.put_flag(1); },
    [](signalling& with) { return with.put_flag(0); },
    [](signalling& with) { return with.put_flag(most_words); },
};

constexpr std::array<beginning, 4> to_semaphores{
    [](signalling& with) { return with.posts.post(with.to, 0); },
    [](signalling& with) { return with.posts.put_and_post(with.at(), with.first(most_words), 0); },
    [](signalling& with) {
      return with.posts.put_and_post(with.at(), with.first(20), spread, 0, 1, in_messages);
    },
    [](signalling& with) {
      return with.posts.put_and_post(with.at(), with.first(20), spread, 0, 1, in_runs);
    },
};

template <class Free>
std::string said_by(const Free& free_it) {
  try {
    free_it();
  } catch (const error& refused) {
    return refused.what();
  }
  return "freed";
}

void expect_refusal(const job& here, const std::string& said) {
  const std::regex wanted("rank " + std::to_string(here.rank()) +
                          ": free of a region on which this rank has operations under way \\(\\d+ "
                          "not told yet\\); wait for them, or for quiet, before");
  EXPECT_TRUE(std::regex_match(said, wanted)) << said;
}

/// What is begun before any key has come is under way until this rank makes progress.
template <class Free>
void refuse_until_complete(job& here, std::span<const beginning> beginnings, const Free& free_it) {
  for (std::size_t which = 0; which < beginnings.size(); ++which) {
    for (const bool quietly : {false, true}) {
      SCOPED_TRACE("beginning " + std::to_string(which));
      signalling with(here);
      request open = beginnings[which](with);
      expect_refusal(here, said_by([&] { free_it(with); }));
      if (quietly) {
        open.detach();
        here.quiet();
      } else {
        open.wait();
      }
      EXPECT_EQ(said_by([&] { free_it(with); }), "freed");
      free(with.data);
    }
  }
}

void refuse_the_flags(job& here) {
  refuse_until_complete(here, to_flags, [](signalling& with) { free(with.flags); });
}

void refuse_the_semaphores(job& here) {
  refuse_until_complete(here, to_semaphores, [](signalling& with) { with.posts.release(); });
  const beginning notifying = [](signalling& with) {
    return with.pairs.put_and_notify(with.at(), with.first(20), spread, 1, in_messages);
  };
  refuse_until_complete(here, std::span(&notifying, 1),
                        [](signalling& with) { with.pairs.release(); });
}

/// A fence speaks for puts with their signals, but not for posts behind layouts.
void complete(job& here, request open, bool by_fence, random_stream& draw, int to) {
  const auto how = draw.below(by_fence ? 4 : 2);
  if (how == 0) return open.wait();
  open.detach();
  if (how == 1) here.quiet();
  if (how == 2) fence(here, to);
  if (how == 3) fence_all(here);
}

/// Nothing lies between the last of it and the free.
void free_what_is_complete(job& here) {
  random_stream draw(17, static_cast<std::uint64_t>(here.rank()));
  for (int turn = 0; turn < 8; ++turn) {
    signalling with(here);
    for (auto times = draw.below(3); times != 0; --times) {
      const bool flags = draw.below(2) == 0;
      const auto which = draw.below(flags ? to_flags.size() : to_semaphores.size());
      request open = flags ? to_flags.at(which)(with) : to_semaphores.at(which)(with);
      complete(here, std::move(open), flags || which < 2, draw, with.to);
    }
    ASSERT_EQ(said_by([&] { free(with.flags); }), "freed") << "turn " << turn;
    ASSERT_EQ(said_by([&] { with.posts.release(); }), "freed") << "turn " << turn;
    with.pairs.release();
    free(with.data);
  }
}

}  // namespace

JOB_TEST(free_signals, is_refused_under_puts_with_flags, .least_ranks = 2, .most_ranks = 5,
         .ordered_writes = false) {
  refuse_the_flags(here);
}

JOB_TEST(free_signals, is_refused_under_posts, .least_ranks = 2, .most_ranks = 5,
         .ordered_writes = false) {
  refuse_the_semaphores(here);
}

JOB_TEST(free_signals, goes_when_all_is_complete, .most_ranks = 8, .ordered_writes = false) {
  free_what_is_complete(here);
}

TEST(free_signals, where_puts_are_messages) {
  test::run_served(&free_what_is_complete, test::sanitized ? 5 : 40);
}
