// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random sequences of collectives over shared scratch and peers' buffers, blocking and not, small
// and as large as the scratch, so that epochs and scratch are used again in every mixture.
#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/reach.hpp"

namespace {

using namespace upwash;

/// What a member contributes to an operation.
std::uint64_t word(int rank, std::uint64_t operation, std::uint64_t at) {
  return static_cast<std::uint64_t>(rank + 1) * 1'000'003 + operation * 7919 + at;
}

struct drawn {
  std::uint64_t number = 0;
  std::uint64_t what = 0;
  std::uint64_t words = 0;  ///< of the vector, or of a block
  int root = 0;
  bool waits = false;
  std::string algorithm;
};

drawn draw(random_stream& from, std::uint64_t number, int ranks) {
  drawn one;
  one.number = number;
  one.what = from.below(6);
  const std::uint64_t scale = std::uint64_t{1} << from.below(16);
  one.words = from.below(scale) + 1;
  one.root = static_cast<int>(from.below(static_cast<std::uint64_t>(ranks)));
  one.waits = from.below(2) == 0;
  const bool combines = one.what >= 4;
  const bool large = (one.words + 1) * 8 * static_cast<std::uint64_t>(ranks) > (1U << 20U);
  const char* const names[] = {"shared",        combines ? "shared_segments" : "",
                               "single_copy",   "shared_pieces:piece=5000",
                               "shared_pieces", ""};
  one.algorithm = names[from.below(6)];
  const bool at_once = one.algorithm == "shared" || one.algorithm == "shared_segments";
  if (large && at_once) one.algorithm = "";
  return one;
}

/// One operation with its buffers, from its start to the check of its result.
class running {
 public:
  running(const team& world, const drawn& what) : world_(world), what_(what) {
    const auto members = static_cast<std::uint64_t>(world.size());
    const bool parts = what.what == 2;
    input_.resize(what.words * (parts ? members : 1));
    for (std::uint64_t i = 0; i < input_.size(); ++i)
      input_[i] = word(world.rank(), what.number, i);
    output_.assign(what.words * (what.what <= 2 ? members : 1), 0);
    if (what.what == 3 && world.rank() == what.root) output_ = input_;
    begin();
  }

  void check() {
    done_.wait();
    const auto members = static_cast<std::uint64_t>(world_.size());
    for (std::uint64_t i = 0; i < output_.size(); ++i) {
      if (output_[i] == wanted(i, members)) continue;
      throw error(error_kind::fault, "operation " + std::to_string(what_.number) + ", kind " +
                                         std::to_string(what_.what) + " by \"" + what_.algorithm +
                                         "\", word " + std::to_string(i) + " of " +
                                         std::to_string(output_.size()));
    }
  }

 private:
  /// Blocking ones run on this stack where they can, others in the executor.
  void begin() {
    const collective_options how{.algorithm = what_.algorithm};
    const std::span<const std::uint64_t> in = input_;
    const std::span<std::uint64_t> all = output_;
    const int root = what_.root;
    const std::span<std::uint64_t> at_root = world_.rank() == root ? all : all.first(0);
    if (what_.waits) {
      switch (what_.what) {
        case 0: return all_gather(world_, blocking, in, all, how);
        case 1: return gather(world_, blocking, root, in, at_root, how);
        case 2: return all_to_all(world_, blocking, in, all, how);
        case 3: return broadcast(world_, blocking, root, all, how);
        case 4: return all_reduce<sum>(world_, blocking, in, all, how);
        default: return reduce<sum>(world_, blocking, root, in, at_root, how);
      }
    }
    switch (what_.what) {
      case 0: done_ = all_gather(world_, in, all, how); return;
      case 1: done_ = gather(world_, root, in, at_root, how); return;
      case 2: done_ = all_to_all(world_, in, all, how); return;
      case 3: done_ = broadcast(world_, root, all, how); return;
      case 4: done_ = all_reduce<sum>(world_, in, all, how); return;
      default: done_ = reduce<sum>(world_, root, in, at_root, how);
    }
  }
  [[nodiscard]] std::uint64_t wanted(std::uint64_t at, std::uint64_t members) const {
    const bool root = world_.rank() == what_.root;
    const auto block = static_cast<int>(at / what_.words);
    const std::uint64_t inside = at % what_.words;
    const auto own = static_cast<std::uint64_t>(world_.rank());
    std::uint64_t total = 0;
    for (std::uint64_t r = 0; r < members; ++r)
      total += word(static_cast<int>(r), what_.number, at);
    switch (what_.what) {
      case 0: return word(block, what_.number, inside);
      case 1: return root ? word(block, what_.number, inside) : 0;
      case 2: return word(block, what_.number, own * what_.words + inside);
      case 3: return word(what_.root, what_.number, at);
      case 4: return total;
      default: return root ? total : 0;
    }
  }

  team world_;
  drawn what_;
  std::vector<std::uint64_t> input_;
  std::vector<std::uint64_t> output_;
  request done_;
};

}  // namespace

JOB_TEST(shared_memory, holds_in_random_sequences, .least_ranks = 2, .most_ranks = 7,
         .on_sim = false, .on_loopback = false) {
  random_stream draws(20261, static_cast<std::uint64_t>(here.world().size()));
  std::deque<running> open;
  for (std::uint64_t number = 0; number < 400; ++number) {
    const drawn what = draw(draws, number, here.world().size());
    const std::size_t most_open = 1 + draws.below(5);
    open.emplace_back(here.world(), what);
    while (open.size() > most_open) {
      open.front().check();
      open.pop_front();
    }
  }
  for (running& last : open) last.check();
}

namespace {

/// Throws unless a broadcast of `bytes` by `shared` is refused with these words.
void expect_refused(const team& among, std::size_t bytes, const std::string& words) {
  std::vector<std::byte> large(bytes);
  try {
    broadcast(among, blocking, 0, std::span(large), {.algorithm = "shared"});
  } catch (const error& refusal) {
    if (std::string(refusal.what()).find(words) != std::string::npos) return;
    throw;
  }
  throw error(error_kind::fault, "it was not refused");
}

}  // namespace

JOB_TEST(shared_memory, is_refused_by_name_where_it_is_too_small, .least_ranks = 2, .on_sim = false,
         .on_loopback = false) {
  expect_refused(here.world(), (std::size_t{1} << 20U) + 1,
                 "1048577 bytes are more than the 1048576 of shared scratch");
}

// Teams are made while programs run: theirs is small, and what does not fit goes another way.
JOB_TEST(shared_memory, is_small_in_other_teams, .least_ranks = 2, .most_ranks = 5, .on_sim = false,
         .on_loopback = false) {
  team other = here.world().split(0, -here.rank());
  expect_refused(other, 32769, "32769 bytes are more than the 32768 of shared scratch");
  std::vector<std::uint64_t> words(100'000);
  for (std::uint64_t i = 0; i < words.size(); ++i) words[i] = word(other.rank(), 1, i);
  broadcast(other, blocking, 0, std::span(words));
  std::vector<std::uint64_t> sums(words.size());
  all_reduce<sum>(other, blocking, std::span<const std::uint64_t>(words), std::span(sums));
  const auto members = static_cast<std::uint64_t>(other.size());
  for (std::uint64_t i = 0; i < words.size(); ++i) {
    if (words[i] == word(0, 1, i) && sums[i] == members * word(0, 1, i)) continue;
    throw error(error_kind::fault, "word " + std::to_string(i));
  }
}

/// Vectors that scratch has no room for, combined straight out of the members' buffers: whole
/// elements of an odd size, with an operator that keeps the order, in place too.
JOB_TEST(shared_memory, large_vectors_are_combined_from_peers_buffers, .most_ranks = 4) {
  if (!all_direct(here.world())) return;
  const team& world = here.world();
  const auto first = [](std::uint64_t left, std::uint64_t) { return left; };
  const auto last = [](std::uint64_t, std::uint64_t right) { return right; };
  const collective_options how{.algorithm = "single_copy"};
  for (const std::uint64_t words : {8192U, 8193U, 65536U + 3, 524288U}) {
    std::vector<std::uint64_t> mine(words);
    for (std::uint64_t i = 0; i < words; ++i) mine[i] = word(here.rank(), words, i);
    std::vector<std::uint64_t> result(words);
    all_reduce(world, blocking, mine, result, first, how);
    for (std::uint64_t i = 0; i < words; ++i) ASSERT_EQ(result[i], word(0, words, i));
    all_reduce(world, mine, result, last, how).wait();
    for (std::uint64_t i = 0; i < words; ++i) {
      ASSERT_EQ(result[i], word(here.size() - 1, words, i));
    }
    all_reduce<sum>(world, blocking, in_place, mine, how);
    const auto ranks = static_cast<std::uint64_t>(here.size());
    for (std::uint64_t i = 0; i < words; ++i) {
      ASSERT_EQ(mine[i], ranks * (ranks + 1) / 2 * 1'000'003 + ranks * (words * 7919 + i));
    }
  }
}

namespace {

/// Vectors of so many words, that all members fill alike, by pieces.
void exchange_in_pieces(const team& among, std::uint64_t words, const collective_options& how) {
  const auto self = among.rank();
  const auto members = static_cast<std::uint64_t>(among.size());
  const auto sum_at = [&](std::uint64_t i) {
    std::uint64_t all = 0;
    for (int r = 0; r < among.size(); ++r) all += word(r, words, i);
    return all;
  };
  std::vector<std::uint64_t> mine(words);
  for (std::uint64_t i = 0; i < words; ++i) mine[i] = word(self, words, i);
  std::vector<std::uint64_t> all(words * members);
  all_gather(among, blocking, std::span<const std::uint64_t>(mine), std::span(all), how);
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i], word(static_cast<int>(i / words), words, i % words)) << i;
  }
  // Each member's block b is that of member b now, so all get what they have.
  std::vector<std::uint64_t> back(all.size());
  all_to_all(among, std::span<const std::uint64_t>(all), std::span(back), how).wait();
  for (std::uint64_t i = 0; i < back.size(); ++i) {
    ASSERT_EQ(back[i], word(self, words, i % words)) << i;
  }
  std::vector<std::uint64_t> sums = mine;
  all_reduce<sum>(among, blocking, in_place, std::span(sums), how);
  for (std::uint64_t i = 0; i < words; ++i) ASSERT_EQ(sums[i], sum_at(i)) << i;
  const int root = among.size() - 1;
  std::fill(sums.begin(), sums.end(), 0);
  reduce<sum>(among, root, std::span<const std::uint64_t>(mine),
              std::span(sums).first(self == root ? words : 0), how)
      .wait();
  for (std::uint64_t i = 0; self == root && i < words; ++i) ASSERT_EQ(sums[i], sum_at(i)) << i;
  broadcast(among, root, std::span(sums), how).wait();
  for (std::uint64_t i = 0; i < words; ++i) ASSERT_EQ(sums[i], sum_at(i)) << i;
}

}  // namespace

/// More than the scratch holds, of a number of words that no piece divides; then two teams whose
/// members overlap, with less scratch.
JOB_TEST(shared_memory, longer_vectors_go_through_it_in_pieces, .least_ranks = 2, .most_ranks = 5,
         .on_sim = false) {
  if (!all_direct(here.world())) return;
  exchange_in_pieces(here.world(), (std::uint64_t{3} << 17U) + 5, {.algorithm = "shared_pieces"});
  exchange_in_pieces(here.world(), 1001, {.algorithm = "shared_pieces:piece=96"});
  const int last = here.size() - 1;
  team lower = here.world().split(here.rank() == last ? 1 : 0, here.rank());
  team upper = here.world().split(here.rank() == 0 ? 1 : 0, -here.rank());
  for (const team* each : {&lower, &upper}) {
    exchange_in_pieces(*each, 30'001, {.algorithm = "shared_pieces"});
  }
}
