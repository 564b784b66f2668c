// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of blocks of different lengths: valid with any lengths and places of the blocks, and
// as many messages as their headers say.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tests/collective/cases.hpp"
#include "tests/collective/omissions.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/algorithms/all_gathers.hpp"
#include "upwash/collective/algorithms/all_to_alls_v.hpp"
#include "upwash/collective/algorithms/reduce_scatters.hpp"
#include "upwash/collective/algorithms/rooted_v.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

constexpr std::uint32_t element_bytes = 4;

std::size_t wide(int number) { return static_cast<std::size_t>(number); }

/// Lengths of blocks and where they lie in a vector, in elements.
struct layout {
  std::vector<std::uint64_t> lengths;
  std::vector<std::uint64_t> offsets;
  bool packed = true;
  std::uint64_t elements = 0;  ///< of the vector

  [[nodiscard]] int members() const { return static_cast<int>(lengths.size()); }
  [[nodiscard]] std::uint64_t total() const {
    return std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  }
  /// Of the element `e` of the vector; -1: a gap.
  [[nodiscard]] int owner(std::uint64_t e) const {
    for (int i = 0; i < members(); ++i) {
      if (e >= offsets[wide(i)] && e < offsets[wide(i)] + lengths[wide(i)]) return i;
    }
    return -1;
  }
  void give(rank_call& to) const {
    to.given[0] = lengths;
    if (!packed) to.given[1] = offsets;
  }
  [[nodiscard]] blocks data() const { return blocks::as_given(members(), element_bytes); }
};

/// Lengths drawn at random, many of them 0; where not packed, in the opposite order, with gaps.
layout drawn(int members, std::uint64_t seed, bool packed) {
  random_stream random(seed, static_cast<std::uint64_t>(members));
  layout made;
  made.packed = packed;
  made.offsets.resize(wide(members));
  for (int i = 0; i < members; ++i) made.lengths.push_back(random.below(2) * random.below(9));
  for (int i = 0; i < members; ++i) {
    const std::size_t at = wide(packed ? i : members - 1 - i);
    if (!packed) made.elements += random.below(3);
    made.offsets[at] = made.elements;
    made.elements += made.lengths[at];
  }
  return made;
}

expectation expected(const layout& of) {
  expectation all;
  all.ranks = of.members();
  all.element_bytes = element_bytes;
  all.calls.resize(of.lengths.size());
  return all;
}

/// For teams of many sizes.
template <class Check>
void for_layouts(const Check& check) {
  for (int members = 1; members <= most_ranks(); members += members < 9 ? 1 : 7) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      check(drawn(members, seed, seed % 2 == 0));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

template <class Make>
void expect_gathers_all(const layout& of, bool in_place, const Make& make) {
  expectation all = expected(of);
  all.output_bytes = of.elements * element_bytes;
  all.in_place = in_place;
  for (int r = 0; r < all.ranks; ++r) {
    of.give(all.calls[wide(r)]);
    all.calls[wide(r)].input_bytes = of.lengths[wide(r)] * element_bytes;
    if (in_place) all.calls[wide(r)].in_place_at = of.offsets[wide(r)] * element_bytes;
  }
  expect_valid(all, make, [&](int, std::uint64_t e) -> abstract_value {
    const int owner = of.owner(e);
    if (owner < 0) return {};
    return {{owner, static_cast<std::uint32_t>(e - of.offsets[wide(owner)])}};
  });
}

template <class Make>
void expect_reduces(const layout& of, bool commutative, const Make& make) {
  expectation all = expected(of);
  all.commutative = commutative;
  all.input_bytes = of.elements * element_bytes;
  for (int r = 0; r < all.ranks; ++r) {
    of.give(all.calls[wide(r)]);
    all.calls[wide(r)].output_bytes = of.lengths[wide(r)] * element_bytes;
  }
  expect_valid(all, make, [&](int rank, std::uint64_t e) {
    return all_ranks(all.ranks, of.offsets[wide(rank)] + e);
  });
}

expectation gathering_at(const layout& of, int root) {
  expectation all = expected(of);
  for (int r = 0; r < all.ranks; ++r) {
    all.calls[wide(r)].input_bytes = of.lengths[wide(r)] * element_bytes;
  }
  of.give(all.calls[wide(root)]);
  all.calls[wide(root)].output_bytes = of.elements * element_bytes;
  return all;
}

abstract_value gathered_at(const layout& of, int root, int rank, std::uint64_t e) {
  const int owner = of.owner(e);
  if (rank != root || owner < 0) return {};
  return {{owner, static_cast<std::uint32_t>(e - of.offsets[wide(owner)])}};
}

expectation scattering_from(const layout& of, int root) {
  expectation all = expected(of);
  for (int r = 0; r < all.ranks; ++r) {
    all.calls[wide(r)].output_bytes = of.lengths[wide(r)] * element_bytes;
  }
  of.give(all.calls[wide(root)]);
  all.calls[wide(root)].input_bytes = of.elements * element_bytes;
  return all;
}

abstract_value scattered_from(const layout& of, int root, int rank, std::uint64_t e) {
  return {{root, static_cast<std::uint32_t>(of.offsets[wide(rank)] + e)}};
}

template <class Check>
void for_roots(const Check& check) {
  for_layouts([&](const layout& of) {
    for (const int root : {0, of.members() / 2, of.members() - 1}) check(of, root);
  });
}

/// Rank a sends `drawn` bytes to rank b; blocks lie behind gaps, in the input in the opposite
/// order.
expectation exchanging(int ranks, std::uint64_t seed) {
  expectation all;
  all.ranks = ranks;
  all.calls.resize(wide(ranks));
  const auto bytes = [&](int from, int to) {
    random_stream random(seed, static_cast<std::uint64_t>(from * ranks + to));
    return random.below(2) * random.below(7);
  };
  for (int rank = 0; rank < ranks; ++rank) {
    rank_call& call = all.calls[wide(rank)];
    for (auto& words : call.given) words.resize(wide(ranks));
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    for (int other = 0; other < ranks; ++other) {
      call.given[2][wide(other)] = bytes(other, rank);
      call.given[3][wide(other)] = ++out;
      out += bytes(other, rank);
      const int opposite = ranks - 1 - other;
      call.given[0][wide(opposite)] = bytes(rank, opposite);
      call.given[1][wide(opposite)] = ++in;
      in += bytes(rank, opposite);
    }
    call.input_bytes = in;
    call.output_bytes = out;
  }
  return all;
}

abstract_value exchanged_at(const expectation& all, int rank, std::uint64_t e) {
  const rank_call& call = all.calls[wide(rank)];
  for (int source = 0; source < all.ranks; ++source) {
    const std::uint64_t begin = call.given[3][wide(source)];
    if (e < begin || e >= begin + call.given[2][wide(source)]) continue;
    const std::uint64_t at_source = all.calls[wide(source)].given[1][wide(rank)];
    return {{source, static_cast<std::uint32_t>(at_source + e - begin)}};
  }
  return {};
}

}  // namespace

TEST(uneven_blocks, are_exchanged_in_stages_and_bit_by_bit) {
  for (int ranks = 1; ranks <= most_ranks(); ranks += ranks < 9 ? 1 : 4) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      const expectation all = exchanging(ranks, seed);
      const auto wanted = [&](int rank, std::uint64_t e) { return exchanged_at(all, rank, e); };
      for (const int ahead : {0, 1, 3}) {
        for (const bool paired : {false, true}) {
          if (paired && (ranks & (ranks - 1)) != 0) continue;
          expect_valid(
              all, [&](int r) { return staged_all_to_all_v(ranks, r, paired, ahead); }, wanted);
        }
      }
      expect_valid(
          all, [&](int r) { return bruck_all_to_all_v(ranks, r); }, wanted);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(uneven_blocks, of_lengths_that_ends_see_differently_are_an_error) {
  expectation all = exchanging(5, 1);
  all.calls[3].given[2][1] += 1;
  all.calls[3].output_bytes = *all.calls[3].output_bytes + 1;
  EXPECT_THROW(static_cast<void>(validate(
                   all, [](int r) { return bruck_all_to_all_v(5, r); },
                   [](int, std::uint64_t) { return abstract_value(); }, 1)),
               error);
}

TEST(uneven_blocks, are_gathered_at_all) {
  for_layouts([](const layout& of) {
    for (const bool in_place : {false, true}) {
      expect_gathers_all(of, in_place,
                         [&](int rank) { return direct_all_gather_v(of.data(), rank, in_place); });
      expect_gathers_all(of, in_place,
                         [&](int rank) { return ring_all_gather_v(of.data(), rank, in_place); });
      for (const int k : {2, 3, 5}) {
        expect_gathers_all(of, in_place, [&](int rank) {
          return dissemination_all_gather(of.data(), rank, k, in_place);
        });
      }
    }
  });
}

TEST(uneven_blocks, are_reduced_in_order_or_round_the_ring) {
  for_layouts([](const layout& of) {
    expect_reduces(of, true, [&](int rank) { return ring_reduce_scatter(of.data(), rank); });
    expect_reduces(of, false, [&](int rank) { return pairwise_reduce_scatter(of.data(), rank); });
  });
}

TEST(uneven_blocks, go_to_a_root) {
  for_roots([](const layout& of, int root) {
    const expectation all = gathering_at(of, root);
    const auto wanted = [&](int rank, std::uint64_t e) { return gathered_at(of, root, rank, e); };
    expect_valid(
        all, [&](int rank) { return direct_gather_v(of.data(), root, rank); }, wanted);
    for (const int k : {2, 3}) {
      expect_valid(
          all,
          [&](int rank) { return tree_gather_v(of.data(), root, rank, model::knomial_tree(k)); },
          wanted);
    }
    expect_valid(
        all, [&](int rank) { return tree_gather_v(of.data(), root, rank, model::chain_tree()); },
        wanted);
  });
}

TEST(uneven_blocks, come_from_a_root) {
  for_roots([](const layout& of, int root) {
    const expectation all = scattering_from(of, root);
    const auto wanted = [&](int rank, std::uint64_t e) {
      return scattered_from(of, root, rank, e);
    };
    expect_valid(
        all, [&](int rank) { return direct_scatter_v(of.data(), root, rank); }, wanted);
    for (const int k : {2, 3}) {
      expect_valid(
          all,
          [&](int rank) { return tree_scatter_v(of.data(), root, rank, model::knomial_tree(k)); },
          wanted);
    }
    expect_valid(
        all, [&](int rank) { return tree_scatter_v(of.data(), root, rank, model::chain_tree()); },
        wanted);
  });
}

TEST(uneven_blocks, wait_for_nothing_that_they_need_not) {
  layout of = drawn(6, 1, false);
  for (std::uint64_t& each : of.lengths) each = std::max<std::uint64_t>(each, 1);
  for (std::size_t i = 0, at = 0; i < of.lengths.size(); at += of.lengths[i++]) of.offsets[i] = at;
  of.packed = true;
  of.elements = of.total();
  expectation reduces = expected(of);
  reduces.input_bytes = of.elements * element_bytes;
  expectation gathers = expected(of);
  gathers.output_bytes = of.elements * element_bytes;
  for (int r = 0; r < of.members(); ++r) {
    for (expectation* each : {&reduces, &gathers}) of.give(each->calls[wide(r)]);
    reduces.calls[wide(r)].output_bytes = of.lengths[wide(r)] * element_bytes;
    gathers.calls[wide(r)].input_bytes = of.lengths[wide(r)] * element_bytes;
  }
  const auto reduced = [&](int rank, std::uint64_t e) {
    return all_ranks(of.members(), of.offsets[wide(rank)] + e);
  };
  const auto gathered = [&](int, std::uint64_t e) -> abstract_value {
    const int owner = of.owner(e);
    return {{owner, static_cast<std::uint32_t>(e - of.offsets[wide(owner)])}};
  };
  EXPECT_EQ(needless(
                reduces, [&](int r) { return ring_reduce_scatter(of.data(), r); }, reduced),
            "");
  EXPECT_EQ(needless(
                reduces, [&](int r) { return pairwise_reduce_scatter(of.data(), r); }, reduced),
            "");
  EXPECT_EQ(needless(
                gathers, [&](int r) { return ring_all_gather_v(of.data(), r, false); }, gathered),
            "");
  EXPECT_EQ(needless(
                gathers, [&](int r) { return dissemination_all_gather(of.data(), r, 2, false); },
                gathered),
            "");
}

TEST(uneven_blocks, ask_for_their_lengths) {
  generator steps = ring_all_gather_v(blocks::as_given(4, 8), 1, false);
  step s;
  EXPECT_THROW(static_cast<void>(steps.next(s)), error);
  const std::vector<std::uint64_t> lengths(4, 1);
  facts few_offsets;
  few_offsets.given = {lengths, std::span(lengths).first(3), {}, {}};
  generator again = ring_all_gather_v(blocks::as_given(4, 8), 3, false);
  EXPECT_THROW(static_cast<void>(again.next(s, few_offsets)), error);
}

TEST(uneven_blocks, alike_are_what_even_ones_are) {
  // Pricing stands on it: alike blocks need no words.
  const blocks data = blocks::alike(12, 24);
  const auto messages = [](generator steps) { return count(std::move(steps)).messages_sent; };
  EXPECT_EQ(messages(ring_all_gather_v(data, 3, false)), 11U);
  EXPECT_EQ(messages(direct_all_gather_v(data, 3, true)), 11U);
  EXPECT_EQ(messages(dissemination_all_gather(data, 3, 2, true)), 4U);
  EXPECT_EQ(messages(ring_reduce_scatter(data, 3)), 11U);
  EXPECT_EQ(messages(pairwise_reduce_scatter(data, 3)), 11U);
}
