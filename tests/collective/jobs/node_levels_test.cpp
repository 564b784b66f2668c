// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that meet inside nodes, where worlds have nodes whose ranks share memory: who sends,
// the order of operands, many at a time, and boards that are made larger between them.
#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <string_view>
#include <vector>

#include "tests/collective/jobs/product_calls.hpp"
#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/reach.hpp"

namespace {

using namespace upwash;
using collective::kind;
using test::affine;
using test::then;

constexpr collective_options by_nodes{.algorithm = "hierarchical"};

collective::problem problem_on(const team& among, kind of, std::uint64_t bytes = 0) {
  collective::problem call{.of = of, .ranks = among.size(), .bytes = bytes};
  collective::tell_nodes(among, call);
  return call;
}

/// Whether the algorithm serves such calls.
bool serves(const collective::problem& call, std::string_view algorithm = "hierarchical") {
  collective::registry all;
  collective::add_algorithms(all);
  return collective::registry::objection(all.named(call.of, algorithm), call).empty();
}

}  // namespace

JOB_TEST(node_levels, are_there_where_ranks_of_nodes_share_memory) {
  const team world = here.world();
  const auto& at = host(here).endpoint();
  int nodes = 0;
  int most = 0;
  for (int rank = 0; rank < here.size(); ++rank) {
    const auto is_mate = [&](int other) { return at.place(other).node == at.place(rank).node; };
    int mates = 0;
    for (int other = 0; other < here.size(); ++other) mates += is_mate(other) ? 1 : 0;
    bool is_first = true;
    for (int other = 0; other < rank; ++other) is_first = is_first && !is_mate(other);
    nodes += is_first ? 1 : 0;
    most = std::max(most, mates);
  }
  const collective::problem call = problem_on(world, kind::barrier);
  EXPECT_EQ(bool(call.nodes), nodes_direct(world) && nodes > 1 && most > 1);
  EXPECT_EQ(serves(call), bool(call.nodes));
  if (!call.nodes) return;
  EXPECT_EQ(call.nodes->nodes(), nodes);
  EXPECT_EQ(call.nodes->largest_size(), most);
}

JOB_TEST(node_levels, only_leaders_send) {
  const team world = here.world();
  const collective::problem call = problem_on(world, kind::barrier);
  if (!call.nodes) return;
  barrier(world, blocking, by_nodes);
  constexpr std::uint64_t times = 20;
  const std::uint64_t before = here.counters().messages_sent;
  for (std::uint64_t i = 0; i < times; ++i) barrier(world, blocking, by_nodes);
  const std::uint64_t sent = here.counters().messages_sent - before;
  std::uint64_t rounds = 0;
  for (int reach = 1; reach < call.nodes->nodes(); reach *= 2) ++rounds;
  const bool leads = call.nodes->place_of(here.rank()) == 0;
  EXPECT_EQ(sent, leads && !all_direct(world) ? times * rounds : leads ? sent : 0);
}

JOB_TEST(node_levels, keep_the_order_of_operands) {
  const team world = here.world();
  for (const bool reversed : {false, true}) {
    team among = world.split(here.rank() % 3 == 0 ? 0 : 1, reversed ? -here.rank() : here.rank());
    collective::problem call = problem_on(among, kind::all_reduce, sizeof(affine));
    call.commutative = false;
    if (serves(call)) {
      const std::vector<affine> mine{test::affine_of(among.rank(), 0)};
      std::vector<affine> all(1);
      all_reduce<then>(among, std::span(mine), std::span(all), by_nodes).wait();
      affine wanted = test::affine_of(0, 0);
      for (int peer = 1; peer < among.size(); ++peer) {
        wanted = then{}(wanted, test::affine_of(peer, 0));
      }
      EXPECT_EQ(all[0].m, wanted.m);
      EXPECT_EQ(all[0].c, wanted.c);
    }
    among.release();
  }
}

JOB_TEST(node_levels, combine_vectors_larger_than_the_scratch) {
  team among = here.world().split(0, here.rank());
  const collective::problem call = problem_on(among, kind::all_reduce, 8);
  if (serves(call)) {
    const auto members = static_cast<std::uint64_t>(among.size());
    for (const std::uint64_t more : {1, 5000}) {
      std::vector<std::uint64_t> all(call.node_scratch / 8 + more);
      const auto mine = static_cast<std::uint64_t>(among.rank());
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = i * (mine + 1);
      all_reduce<sum>(among, in_place, std::span(all), by_nodes).wait();
      for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(all[i], i * members * (members + 1) / 2) << "element " << i;
      }
    }
  }
  among.release();
}

// Members wherever chance has put them, blocks that fit into the scratch and that do not.
JOB_TEST(node_levels, are_right_on_teams_and_sizes_drawn_at_random) {
  using test::one_call;
  constexpr std::array kinds{
      kind::broadcast,  kind::scatter,    kind::gather, kind::reduce,         kind::all_gather,
      kind::all_to_all, kind::all_reduce, kind::scan,   kind::exclusive_scan, kind::reduce_scatter};
  const team world = here.world();
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    random_stream shared(seed, 0x6c657665);
    random_stream own(seed * 1000 + static_cast<std::uint64_t>(here.rank()), 0x6c73);
    const int key = seed % 2 == 0 ? here.rank() : static_cast<int>(own.below(100));
    team among = world.split(static_cast<int>(own.below(3) / 2), key);
    for (const kind of : kinds) {
      const bool one_vector = of == kind::broadcast || of == kind::reduce || of == kind::all_reduce;
      const std::size_t most = shared.below(2) == 0 ? 600 : one_vector ? 80'000 : 16'000;
      one_call c{of, of == kind::broadcast ? "hierarchical_memory" : "hierarchical",
                 2 * shared.below(most / 2)};
      if (of != kind::all_gather && of != kind::scan && of != kind::exclusive_scan) c.bytes += 1;
      c.root = static_cast<int>(shared.below(1000)) % among.size();
      const bool can_be = of == kind::all_gather || of == kind::all_reduce || of == kind::scan;
      c.in_place = can_be && shared.below(2) == 0;
      if (!serves(problem_on(among, of, c.bytes), c.algorithm)) continue;
      ASSERT_EQ(test::run_collective(among, c), test::oracle(among, c))
          << c.text() << ", member " << among.rank() << " of " << among.size();
    }
    among.release();
  }
}

// Many of the blocks are empty, one is long; packed, and with gaps in the opposite order.
JOB_TEST(node_levels, are_right_for_blocks_of_different_lengths) {
  const team world = here.world();
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    random_stream shared(seed, 0x756e6576);
    random_stream own(seed * 1000 + static_cast<std::uint64_t>(here.rank()), 0x6c73);
    team among = world.split(0, seed < 2 ? here.rank() : static_cast<int>(own.below(100)));
    const auto members = static_cast<std::size_t>(among.size());
    const auto me = static_cast<std::size_t>(among.rank());
    std::vector<std::uint64_t> counts(members);
    for (auto& count : counts) count = shared.below(2) * shared.below(2'000);
    if (seed % 2 == 1) counts[shared.below(members)] = 30'000 + shared.below(40'000);
    std::vector<std::uint64_t> offsets(members);
    std::uint64_t room = 0;
    for (std::size_t i = members; i-- > 0; room += counts[i]) offsets[i] = room += 3;
    const auto word = [](std::size_t member, std::uint64_t i) { return member * 1'000'003 + i; };
    std::vector<std::uint64_t> wanted(room, 1);
    for (std::size_t i = 0; i < members; ++i) {
      for (std::uint64_t e = 0; e < counts[i]; ++e) wanted[offsets[i] + e] = word(i, e);
    }
    const auto mine = std::vector<std::uint64_t>(
        wanted.begin() + static_cast<std::ptrdiff_t>(offsets[me]),
        wanted.begin() + static_cast<std::ptrdiff_t>(offsets[me] + counts[me]));
    if (serves(problem_on(among, kind::all_gather_v, 8))) {
      for (const std::string_view how : {"hierarchical", "hierarchical:outer=1"}) {
        std::vector<std::uint64_t> all(room, 1);
        all_gather_v(among, blocking, mine, all, {counts, offsets},
                     collective_options{.algorithm = how});
        ASSERT_EQ(all, wanted) << how << ", seed " << seed;
      }
      std::vector<std::uint64_t> packed;
      for (std::size_t i = 0; i < members; ++i) {
        for (std::uint64_t e = 0; e < counts[i]; ++e) packed.push_back(word(i, e));
      }
      std::vector<std::uint64_t> all(packed.size());
      const auto at = std::accumulate(counts.begin(), counts.begin() + among.rank(), 0L);
      std::copy(mine.begin(), mine.end(), all.begin() + at);
      all_gather_v(among, blocking, in_place, all, counts, by_nodes);
      ASSERT_EQ(all, packed) << "in place, seed " << seed;
    }
    if (serves(problem_on(among, kind::reduce_scatter_v, 8))) {
      for (std::uint64_t& each : wanted) each *= me + 1;
      std::vector<std::uint64_t> sums(mine.size());
      reduce_scatter_v<sum>(among, blocking, wanted, {counts, offsets}, sums, by_nodes);
      const std::uint64_t factor = members * (members + 1) / 2;
      for (std::uint64_t e = 0; e < sums.size(); ++e) {
        ASSERT_EQ(sums[e], factor * word(me, e)) << "element " << e << ", seed " << seed;
      }
    }
    among.release();
  }
}

// More than there are epochs, and more than the scratch holds at a time. Elsewhere by what is
// chosen.
JOB_TEST(node_levels, many_at_a_time) {
  team among = here.world().split(0, here.rank());
  const bool has_levels = serves(problem_on(among, kind::all_reduce, 8));
  const collective_options how = has_levels ? by_nodes : collective_options{};
  struct one {
    std::vector<std::uint64_t> mine;
    std::vector<std::uint64_t> all;
    request done;
  };
  std::deque<one> open;
  for (std::uint64_t i = 0; i < 300; ++i) {
    one& next = open.emplace_back();
    const std::size_t words = i % 7 == 0 ? 200 : 1 + i % 5;
    next.mine.assign(words, i * static_cast<std::uint64_t>(among.rank() + 1));
    next.all.resize(words);
    next.done =
        all_reduce<sum>(among, std::span<const std::uint64_t>(next.mine), std::span(next.all), how);
    if (i % 50 == 49) barrier(among, blocking, how);
  }
  const auto members = static_cast<std::uint64_t>(among.size());
  for (std::uint64_t i = 0; i < open.size(); ++i) {
    open[i].done.wait();
    const std::uint64_t wanted = i * members * (members + 1) / 2;
    ASSERT_TRUE(std::ranges::all_of(open[i].all, [&](auto each) { return each == wanted; }))
        << "number " << i;
  }
  among.release();
}

JOB_TEST(node_levels, go_on_when_there_is_more_scratch) {
  team among = here.world().split(0, here.rank());
  const collective::problem call = problem_on(among, kind::all_reduce, 8);
  if (serves(call)) {
    const auto sum_of_one = [&] {
      const std::uint64_t all = all_reduce<sum>(among, blocking, std::uint64_t{1}, by_nodes);
      EXPECT_EQ(all, static_cast<std::uint64_t>(among.size()));
    };
    for (int i = 0; i < 70; ++i) sum_of_one();
    const std::uint64_t room = collective::share_inside_nodes(among);
    EXPECT_GE(room, call.node_scratch);
    EXPECT_EQ(collective::share_inside_nodes(among), room) << "there is no more";
    for (int i = 0; i < 70; ++i) sum_of_one();
    const collective::problem larger = problem_on(among, kind::all_reduce, room);
    EXPECT_EQ(larger.node_scratch, room);
    EXPECT_TRUE(serves(larger));
  }
  among.release();
}
