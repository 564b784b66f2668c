// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams that overlap: their members have different pasts when they meet, and choose the same
// algorithm all the same. Each rank has a selector of its own, as in a process of its own.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/collective/jobs/rank_words.hpp"
#include "tests/harness/job_test.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/adapt.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/selector.hpp"
#include "upwash/tuning/tuned_selector.hpp"

namespace {

using namespace upwash;

/// For as long as this lives, a rank chooses for itself, as on this machine.
struct chooses_alone {
  chooses_alone(job& on, const char* machine, collective::adaptation adapts)
      : here(on),
        own(machine),
        before(collective::set_selector(on, &own)),
        adapted(collective::set_adapting(on, adapts)) {}
  ~chooses_alone() {
    collective::set_adapting(here, adapted);
    collective::set_selector(here, before);
  }
  job& here;
  tuning::tuned_selector own;
  collective::selector* before;
  collective::adaptation adapted;
};

struct member_team {
  std::vector<int> ranks;  ///< of the world
  team here;               ///< of its members only
};

/// Teams of two, three and more neighbours, all of them, and all of them the other way round.
std::vector<member_team> overlapping(const team& world) {
  std::vector<member_team> all;
  const int size = world.size();
  const auto add = [&](std::vector<int> ranks) {
    const bool mine = std::count(ranks.begin(), ranks.end(), world.rank()) != 0;
    all.push_back({ranks, mine ? world.subset(ranks) : team()});
  };
  for (const int wide : {2, 3, 5}) {
    for (int first = 0; wide < size && first < size; ++first) {
      std::vector<int> ranks;
      for (int i = 0; i < wide; ++i) ranks.push_back((first + i) % size);
      add(ranks);
    }
  }
  std::vector<int> everybody(static_cast<std::size_t>(size));
  std::iota(everybody.begin(), everybody.end(), 0);
  add(everybody);
  add({everybody.rbegin(), everybody.rend()});
  return all;
}

using test::word_of;
using test::words;
using test::words_of;

void add_up(const team& on, std::size_t count) {
  const words in = words_of(on.rank(), count);
  words out(count);
  all_reduce<sum>(on, blocking, std::span<const std::uint64_t>(in), std::span(out));
  const auto size = static_cast<std::uint64_t>(on.size());
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(out[i], size * (size + 1) / 2 * 1'000'003 + size * i);
  }
}

void spread(const team& on, std::size_t count, int root) {
  words all = on.rank() == root ? words_of(root, count) : words(count);
  broadcast(on, blocking, root, std::span(all));
  ASSERT_EQ(all, words_of(root, count));
}

void exchange(const team& on, std::size_t count) {
  const auto size = static_cast<std::size_t>(on.size());
  const words in = words_of(on.rank(), count * size);
  words out(count * size);
  all_to_all(on, blocking, std::span<const std::uint64_t>(in), std::span(out));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t from = i / count;
    const std::size_t at = static_cast<std::size_t>(on.rank()) * count + i % count;
    ASSERT_EQ(out[i], word_of(static_cast<int>(from), at));
  }
}

void collect(const team& on, std::size_t count) {
  const words in = words_of(on.rank(), count);
  words out(count * static_cast<std::size_t>(on.size()));
  all_gather(on, blocking, std::span<const std::uint64_t>(in), std::span(out));
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i], word_of(static_cast<int>(i / count), i % count));
  }
}

/// Each member sends a word to the next; all say, or none, from whom one comes.
void send_on(const team& on, bool known) {
  const auto size = static_cast<std::uint64_t>(on.size());
  const auto rank = static_cast<std::uint64_t>(on.rank());
  const words to{(rank + 1) % size};
  const words from{(rank + size - 1) % size};
  const words bytes{8};
  const words at{0};
  const std::vector<std::byte> data(8);
  int came = 0;
  const collective::collect_handler taken{
      [](int, std::span<const std::byte>, void* context) { ++*static_cast<int*>(context); }, &came};
  message_pattern pattern{.degree = 1, .bytes = 8};
  if (known) pattern.known_sources = std::span<const std::uint64_t>(from);
  many_to_many(on, blocking, data, {to, bytes, at}, taken, pattern);
  ASSERT_EQ(came, 1);
}

/// `most_words`: of a vector, or of all blocks of a rank.
void call_at_random(std::vector<member_team>& teams, random_stream& from,
                    std::uint64_t most_words) {
  const team& on = teams[from.below(teams.size())].here;
  const std::uint64_t what = from.below(6);
  const auto doublings = static_cast<std::uint64_t>(std::bit_width(most_words));
  const std::uint64_t least = std::uint64_t{1} << from.below(doublings);
  const std::uint64_t count = least + from.below(least);
  const std::uint64_t root = from.below(1000);
  if (!on) return;
  const auto size = static_cast<std::uint64_t>(on.size());
  switch (what) {
    case 0: return add_up(on, count);
    case 1: return spread(on, count, static_cast<int>(root % size));
    case 2: return exchange(on, std::max<std::uint64_t>(count / size, 1));
    case 3: return collect(on, std::max<std::uint64_t>(count / size, 1));
    default: return send_on(on, what == 4);
  }
}

void choose_apart(job& here, const char* machine, collective::adaptation adapts, int calls,
                  std::uint64_t most_words) {
  const chooses_alone alone(here, machine, adapts);
  std::vector<member_team> teams = overlapping(here.world());
  random_stream numbers(2024, 7);  // the same at all ranks
  for (int i = 0; i < calls && !testing::Test::HasFatalFailure(); ++i) {
    call_at_random(teams, numbers, most_words);
  }
  barrier(here.world(), blocking);
}

}  // namespace

/// Under a sanitizer: the same code, in a fraction of the steps.
constexpr int less = test::sanitized ? 5 : 1;

JOB_TEST(overlapping_teams, choose_the_same_whatever_their_members_chose_before, .least_ranks = 3,
         .most_ranks = 7) {
  choose_apart(here, "laptop", collective::adaptation::irregular, 150 / less,
               std::uint64_t{1} << 18);
  choose_apart(here, "edr", collective::adaptation::irregular, 400 / less, 4096);
}

JOB_TEST(overlapping_teams, change_algorithms_together, .least_ranks = 3, .most_ranks = 5) {
  choose_apart(here, "laptop", collective::adaptation::all, 400 / less, 64);
}

/// Sizes that shared scratch just holds, and just does not, on teams with less of it than the
/// world.
JOB_TEST(overlapping_teams, take_sizes_beyond_their_shared_scratch, .least_ranks = 2,
         .most_ranks = 5) {
  const chooses_alone alone(here, "laptop", collective::adaptation::none);
  const team smaller = here.world().duplicate();
  for (const std::size_t count : {2048, 4096, 4100, 6144, 8190, 8192, 8200}) {
    add_up(smaller, count);
    spread(smaller, count, 0);
    exchange(smaller, count / 4);
    collect(smaller, count / 4);
  }
  for (const std::size_t count : {131072, 140000, 147456}) add_up(here.world(), count);
}
