// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random sequences of short rooted collectives with nothing behind them, so that who sends runs
// ahead of who takes: roots and sizes in turn, on teams that overlap, blocking, in flight and
// persistent, until places were used many times.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/collective/jobs/rank_words.hpp"
#include "tests/harness/job_test.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/random.hpp"

namespace {

using namespace upwash;
using test::words;

enum class rooted_call : std::uint8_t { broadcast, reduce, gather, scatter };

struct drawn {
  std::uint64_t number = 0;
  rooted_call what = rooted_call::broadcast;
  std::size_t count = 1;  ///< words: some fit a note, some lie behind a counter
  int root = 0;
  bool waits = false;
};

drawn draw(random_stream& from, std::uint64_t number, int members) {
  const std::size_t counts[] = {1, 1, 1, 2, 3, 4, 6, 9};
  return {.number = number,
          .what = rooted_call{static_cast<std::uint8_t>(from.below(4))},
          .count = counts[from.below(8)],
          .root = static_cast<int>(from.below(static_cast<std::uint64_t>(members))),
          .waits = from.below(4) != 0};
}

/// What a member hands in; a call's words are told from those of the others.
std::uint64_t word(const drawn& of, int member, std::size_t i) {
  return test::word_of(member, i) + of.number * 7919;
}

/// One call with its buffers, from its start to the check of its result.
class running {
 public:
  running(const team& on, const drawn& of) : on_(on), of_(of) {
    const bool root = on.rank() == of.root;
    const auto members = static_cast<std::size_t>(on.size());
    in_.resize(of.count * (of.what == rooted_call::scatter ? (root ? members : 0) : 1));
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = word(of, on.rank(), i);
    out_.resize(of.count * (of.what == rooted_call::gather ? members : 1));
    if (of.what == rooted_call::broadcast && root) out_ = in_;
    begin(root);
  }

  void check() {
    done_.wait();
    if (!has_result()) return;
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (out_[i] == wanted(i)) continue;
      throw error(error_kind::fault,
                  "call " + std::to_string(of_.number) + ", kind " +
                      std::to_string(static_cast<int>(of_.what)) + " of " +
                      std::to_string(of_.count) + " words, root " + std::to_string(of_.root) +
                      " of " + std::to_string(on_.size()) + ": word " + std::to_string(i));
    }
  }

 private:
  [[nodiscard]] bool has_result() const {
    const bool at_root = of_.what == rooted_call::reduce || of_.what == rooted_call::gather;
    return !at_root || on_.rank() == of_.root;
  }
  [[nodiscard]] std::uint64_t wanted(std::size_t i) const {
    std::uint64_t total = 0;
    switch (of_.what) {
      case rooted_call::broadcast: return word(of_, of_.root, i);
      case rooted_call::gather: return word(of_, static_cast<int>(i / of_.count), i % of_.count);
      case rooted_call::scatter:
        return word(of_, of_.root, static_cast<std::size_t>(on_.rank()) * of_.count + i);
      default:
        for (int member = 0; member < on_.size(); ++member) total += word(of_, member, i);
        return total;
    }
  }
  void begin(bool is_root) {
    const std::span<const std::uint64_t> in = in_;
    const std::span<std::uint64_t> out = out_;
    const std::span<std::uint64_t> at_root = is_root ? out : out.first(0);
    const int root = of_.root;
    if (of_.waits) {
      switch (of_.what) {
        case rooted_call::broadcast: return broadcast(on_, blocking, root, out);
        case rooted_call::gather: return gather(on_, blocking, root, in, at_root);
        case rooted_call::scatter: return scatter(on_, blocking, root, in, out);
        default: return reduce<sum>(on_, blocking, root, in, at_root);
      }
    }
    switch (of_.what) {
      case rooted_call::broadcast: done_ = broadcast(on_, root, out); return;
      case rooted_call::gather: done_ = gather(on_, root, in, at_root); return;
      case rooted_call::scatter: done_ = scatter(on_, root, in, out); return;
      default: done_ = reduce<sum>(on_, root, in, at_root);
    }
  }

  team on_;
  drawn of_;
  words in_;
  words out_;
  request done_;
};

/// All members; the same the other way round; those of even and of odd rank; neighbours in pairs,
/// those of an odd rank and the next.
std::vector<team> overlapping(const team& world) {
  const int rank = world.rank();
  return {world, world.split(0, -rank), world.split(rank % 2, rank),
          world.split((rank + 1) / 2, rank)};
}

/// What the processor loads whole where it is aligned, and else not at all.
struct alignas(16) two_numbers {
  double first = 0;
  double second = 0;
};
struct add_both {
  static constexpr bool commutes = true;
  two_numbers operator()(const two_numbers& a, const two_numbers& b) const {
    return {a.first + b.first, a.second + b.second};
  }
};

constexpr std::uint64_t calls = test::sanitized ? 300 : 900;

}  // namespace

JOB_TEST(short_rooted, hold_in_random_sequences_on_overlapping_teams, .most_ranks = 16) {
  // Which team is next all members of the world draw alike, what is called the members of it.
  random_stream order(20281, 0);
  std::vector<team> teams = overlapping(here.world());
  std::deque<running> open;
  for (std::uint64_t number = 0; number < calls; ++number) {
    const team& on = teams[order.below(teams.size())];
    const std::size_t most_open = order.below(6);
    random_stream draws(number, 31);
    open.emplace_back(on, draw(draws, number, on.size()));
    while (open.size() > most_open) {
      open.front().check();
      open.pop_front();
    }
  }
  for (running& last : open) last.check();
  for (std::size_t i = 1; i < teams.size(); ++i) teams[i].release();
}

JOB_TEST(short_rooted, run_ahead_of_a_slow_rank, .least_ranks = 2, .most_ranks = 8) {
  const bool is_slow = here.rank() == here.size() - 1;
  for (std::uint64_t number = 0; number < calls; ++number) {
    if (is_slow && number % 37 == 0) here.compute(duration::from_ns(20'000));
    const auto what = rooted_call{static_cast<std::uint8_t>(number / 80 % 4)};  // until all settle
    running(here.world(), {.number = number, .what = what, .count = 1, .waits = true}).check();
  }
}

JOB_TEST(short_rooted, are_started_often_beside_others, .most_ranks = 8) {
  const team& world = here.world();
  const int last = world.size() - 1;
  std::uint64_t told = 0;
  std::uint64_t mine = 0;
  std::uint64_t total = 0;
  auto tells = broadcast(world, persist, last, std::span(&told, 1));
  auto sums = reduce<sum>(world, persist, 0, std::span<const std::uint64_t>(&mine, 1),
                          std::span(&total, world.rank() == 0 ? 1 : 0));
  random_stream draws(7, 0);
  for (std::uint64_t turn = 0; turn < calls / 3; ++turn) {
    if (world.rank() == last) told = test::word_of(last, turn);
    mine = test::word_of(world.rank(), turn);
    request telling = tells.start();
    request summing = sums.start();
    running between(world, draw(draws, turn, world.size()));
    telling.wait();
    EXPECT_EQ(told, test::word_of(last, turn));
    summing.wait();
    std::uint64_t wanted = 0;
    for (int member = 0; member <= last; ++member) wanted += test::word_of(member, turn);
    if (world.rank() == 0) {
      EXPECT_EQ(total, wanted);
    }
    between.check();
  }
}

JOB_TEST(short_rooted, are_aligned_for_every_type, .most_ranks = 4) {
  const double ranks = here.size();
  for (int turn = 0; turn < 10; ++turn) {
    const two_numbers mine{1.0 + here.rank(), 0.5 * turn};
    two_numbers all;
    reduce<add_both>(here.world(), blocking, 0, std::span<const two_numbers>(&mine, 1),
                     std::span(&all, here.rank() == 0 ? 1 : 0));
    if (here.rank() != 0) continue;
    EXPECT_EQ(all.first, ranks * (ranks + 1) / 2);
    EXPECT_EQ(all.second, ranks * 0.5 * turn);
  }
}
