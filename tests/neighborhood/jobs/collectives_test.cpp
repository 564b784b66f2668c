// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of neighbours against what the graph says, on every conduit.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/neighborhood/random_graphs.hpp"
#include "tests/neighborhood/refusal.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/barrier.hpp"
#include "upwash/collective/values.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/neighborhood/graphs/graph_text.hpp"
#include "upwash/neighborhood/neighbor_all_gather.hpp"
#include "upwash/neighborhood/neighbor_all_to_all.hpp"

namespace {

using namespace upwash;
using test::refusal;

std::vector<const char*> schemes_on(const team& among) {
  std::vector<const char*> all{
      "direct",      "node_forward",        "node_pairs",
      "halving",     "halving:ranks=0",     "best",
      "friends:k=2", "friends:k=3,aware=0", "friends:k=2,theta=1,cumulative=1"};
  if (nodes_direct(among)) all.insert(all.begin() + 1, "shared");
  return all;
}

/// Item i of a block: whose, which of those, in which call.
std::uint64_t item(int origin, std::size_t block, std::size_t i, std::uint64_t call) {
  return random_bits(static_cast<std::uint64_t>(origin) << 32U | block, call, i);
}

neighborhood on_graph(const team& among, const process_graph& graph) {
  return {
      among, {graph.sources(among.rank()), graph.destinations(among.rank())}, graph.coordinates()};
}

/// Which block of source i comes here, by the order of edges between the two.
std::size_t block_from(const process_graph& graph, int rank, std::size_t i) {
  const auto sources = graph.sources(rank);
  auto number =
      std::count(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(i), sources[i]);
  const auto destinations = graph.destinations(sources[i]);
  std::size_t block = 0;
  while (destinations[block] != rank || number-- > 0) ++block;
  return block;
}

enum class form { blocking, nonblocking, persistent };

template <class Blocking, class Start, class Prepare>
void perform(form as, Blocking run, Start start, Prepare prepare) {
  if (as == form::blocking) return run();
  if (as == form::nonblocking) return start().wait();
  collective::persistent kept = prepare();
  kept.start().wait();
  kept.start().wait();
}

void gather(const neighborhood& on, const process_graph& graph, std::string_view scheme,
            std::size_t items, form as, std::uint64_t call) {
  const int rank = on.among().rank();
  std::vector<std::uint64_t> mine(items);
  for (std::size_t i = 0; i < items; ++i) mine[i] = item(rank, 0, i, call);
  std::vector<std::uint64_t> all(items * on.sources().size());
  const neighbor_options how{.scheme = scheme};
  perform(
      as, [&] { neighbor_all_gather(on, blocking, mine, all, how); },
      [&] { return neighbor_all_gather(on, mine, all, how); },
      [&] { return neighbor_all_gather(on, persist, mine, all, how); });
  for (std::size_t at = 0; at < all.size(); ++at) {
    const int source = graph.sources(rank)[at / items];
    ASSERT_EQ(all[at], item(source, 0, at % items, call))
        << scheme << ", rank " << rank << ", from " << source << ", " << items << " items";
  }
}

void exchange(const neighborhood& on, const process_graph& graph, std::string_view scheme,
              std::size_t items, form as, std::uint64_t call) {
  const int rank = on.among().rank();
  std::vector<std::uint64_t> in(items * on.destinations().size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = item(rank, i / items, i % items, call);
  std::vector<std::uint64_t> out(items * on.sources().size());
  const neighbor_options how{.scheme = scheme, .items = items};
  perform(
      as, [&] { neighbor_all_to_all(on, blocking, in, out, how); },
      [&] { return neighbor_all_to_all(on, in, out, how); },
      [&] { return neighbor_all_to_all(on, persist, in, out, how); });
  for (std::size_t at = 0; at < out.size(); ++at) {
    const int source = graph.sources(rank)[at / items];
    const std::size_t block = block_from(graph, rank, at / items);
    ASSERT_EQ(out[at], item(source, block, at % items, call))
        << scheme << ", rank " << rank << ", from " << source << ", " << items << " items";
  }
}

/// Blocks of different lengths with gaps between them; `scattered`: as blocks anywhere in memory.
void exchange_uneven(const neighborhood& on, const process_graph& graph, std::string_view scheme,
                     bool scattered, form as, std::uint64_t call) {
  const int rank = on.among().rank();
  const auto length = [&](int origin, std::size_t block) {
    return random_bits(static_cast<std::uint64_t>(origin), call, block) % 40;
  };
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> sent_at;
  std::uint64_t end = 1;
  for (std::size_t i = 0; i < on.destinations().size(); ++i) {
    sent.push_back(length(rank, i));
    sent_at.push_back(end);
    end += sent.back() + i % 3;
  }
  std::vector<std::uint64_t> in(end);
  for (std::size_t block = 0; block < sent.size(); ++block) {
    for (std::size_t i = 0; i < sent[block]; ++i)
      in[sent_at[block] + i] = item(rank, block, i, call);
  }
  std::vector<std::uint64_t> received;
  std::vector<std::uint64_t> received_at;
  end = 2;
  for (std::size_t i = 0; i < on.sources().size(); ++i) {
    received.push_back(length(graph.sources(rank)[i], block_from(graph, rank, i)));
    received_at.push_back(end);
    end += received.back() + i % 2;
  }
  std::vector<std::uint64_t> out(end, 7);
  std::vector<std::span<const std::byte>> blocks;
  std::vector<std::span<std::byte>> rooms;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    blocks.push_back(std::as_bytes(std::span(in).subspan(sent_at[i], sent[i])));
  }
  for (std::size_t i = 0; i < received.size(); ++i) {
    rooms.push_back(std::as_writable_bytes(std::span(out).subspan(received_at[i], received[i])));
  }
  const neighbor_options how{.scheme = scheme};
  const member_counts goes(sent, sent_at);
  const member_counts comes(received, received_at);
  if (scattered) {
    perform(
        as, [&] { neighbor_all_to_all_w(on, blocking, blocks, rooms, how); },
        [&] { return neighbor_all_to_all_w(on, blocks, rooms, how); },
        [&] { return neighbor_all_to_all_w(on, persist, blocks, rooms, how); });
  } else {
    perform(
        as, [&] { neighbor_all_to_all_v(on, blocking, in, goes, out, comes, how); },
        [&] { return neighbor_all_to_all_v(on, in, goes, out, comes, how); },
        [&] { return neighbor_all_to_all_v(on, persist, in, goes, out, comes, how); });
  }
  std::vector<std::uint64_t> wanted(end, 7);
  for (std::size_t block = 0; block < received.size(); ++block) {
    const int source = graph.sources(rank)[block];
    for (std::size_t i = 0; i < received[block]; ++i) {
      wanted[received_at[block] + i] = item(source, block_from(graph, rank, block), i, call);
    }
  }
  ASSERT_EQ(out, wanted) << scheme << ", rank " << rank;
}

void gather_uneven(const neighborhood& on, const process_graph& graph, std::string_view scheme,
                   form as, std::uint64_t call) {
  const auto length = [&](int origin) { return static_cast<std::size_t>(origin) * 3 % 17; };
  std::vector<std::uint64_t> mine;
  for (std::size_t i = 0; i < length(on.among().rank()); ++i) {
    mine.push_back(item(on.among().rank(), 0, i, call));
  }
  std::vector<std::uint64_t> wanted;
  std::vector<std::uint64_t> counts;
  for (const int source : graph.sources(on.among().rank())) {
    counts.push_back(length(source));
    for (std::size_t i = 0; i < counts.back(); ++i) wanted.push_back(item(source, 0, i, call));
  }
  std::vector<std::uint64_t> all(wanted.size());
  const neighbor_options how{.scheme = scheme};
  perform(
      as, [&] { neighbor_all_gather_v(on, blocking, mine, all, counts, how); },
      [&] { return neighbor_all_gather_v(on, mine, all, counts, how); },
      [&] { return neighbor_all_gather_v(on, persist, mine, all, counts, how); });
  ASSERT_EQ(all, wanted) << scheme << ", rank " << on.among().rank();
}

}  // namespace

JOB_TEST(neighborhood, random_graphs_by_all_schemes) {
  constexpr std::size_t sizes[] = {1, 0, 7, 200, 3000};
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const process_graph graph =
        test::drawn_graph(here.size(), seed + static_cast<std::uint64_t>(here.size()) * 16);
    const neighborhood on = on_graph(here.world(), graph);
    std::uint64_t call = seed * 100;
    for (const char* scheme : schemes_on(here.world())) {
      const std::size_t items = sizes[call % std::size(sizes)];
      const auto as = static_cast<form>(call % 3);
      gather(on, graph, scheme, items, as, call);
      exchange(on, graph, scheme, items, as, ++call);
    }
  }
}

JOB_TEST(neighborhood, blocks_of_different_lengths) {
  const process_graph graph = test::drawn_graph(here.size(), 31);
  const neighborhood on = on_graph(here.world(), graph);
  std::uint64_t call = 0;
  for (const char* scheme : schemes_on(here.world())) {
    for (const bool scattered : {false, true}) {
      exchange_uneven(on, graph, scheme, scattered, static_cast<form>(call % 3), call);
      gather_uneven(on, graph, scheme, static_cast<form>(call % 3), call);
      ++call;
    }
  }
}

/// Lengths travel first where blocks are handed on; tests/system/mismatch.sh has those that are
/// not.
JOB_TEST(neighborhood, refuses_blocks_of_other_lengths, .least_ranks = 2) {
  const int next = (here.rank() + 1) % here.size();
  const int before = (here.rank() + here.size() - 1) % here.size();
  const neighborhood ring(here.world(), {std::span(&before, 1), std::span(&next, 1)});
  std::vector<int> came(3);
  const std::vector<std::uint64_t> counts{came.size()};
  const std::string said = refusal([&] {
    const std::vector<int> mine(2, here.rank());
    neighbor_all_gather_v(ring, blocking, mine, came, counts, {.scheme = "halving"});
  });
  EXPECT_NE(said.find(fmt::format("member {} expects 12 bytes of member {}, which sends 8",
                                  here.rank(), before)),
            std::string::npos)
      << said;
}

JOB_TEST(neighborhood, grids_by_doubling) {
  const grid on_grid = grid::balanced(here.size(), 2, here.size() % 2 == 0);
  const process_graph graph = moore_graph(on_grid, 2);
  const auto on = neighborhood::moore(here.world(), on_grid, 2);
  ASSERT_EQ(on.sources().size(), graph.sources(here.rank()).size());
  const neighborhood sorted = on_graph(here.world(), graph);
  gather(sorted, graph, "doubling", 3, form::blocking, 1);
  exchange(sorted, graph, "doubling", 3, form::nonblocking, 2);
  gather(sorted, graph, "best", 300, form::persistent, 3);
}

JOB_TEST(neighborhood, calls_are_under_way_together) {
  const process_graph graph = test::drawn_graph(here.size(), 5);
  const neighborhood on = on_graph(here.world(), graph);
  std::vector<std::vector<std::uint64_t>> in;
  std::vector<std::vector<std::uint64_t>> out;
  for (std::size_t i = 0; i < 6; ++i) {
    in.emplace_back(4, item(here.rank(), 0, i, 0));
    out.emplace_back(4 * on.sources().size());
  }
  std::vector<request> started;
  const auto schemes = schemes_on(here.world());
  for (std::size_t i = 0; i < 6; ++i) {
    started.push_back(neighbor_all_gather(on, in[i], out[i], {.scheme = schemes[i % 3]}));
  }
  for (std::size_t i = 6; i-- > 0;) started[i].wait();
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t at = 0; at < out[i].size(); ++at) {
      ASSERT_EQ(out[i][at], item(graph.sources(here.rank())[at / 4], 0, i, 0));
    }
  }
}

JOB_TEST(neighborhood, on_overlapping_teams) {
  const team half = here.world().split(here.rank() % 2, -here.rank());
  const process_graph all = test::drawn_graph(here.size(), 11);
  const process_graph some = test::drawn_graph(half.size(), 12);
  const neighborhood wide = on_graph(here.world(), all);
  const neighborhood narrow = on_graph(half, some);
  gather(wide, all, "halving", 2, form::blocking, 1);
  exchange(narrow, some, "node_pairs", 9, form::nonblocking, 2);
  gather(wide, all, "node_forward", 2, form::persistent, 3);
}

/// Epochs of the shared memory come round, its scratch is used up, and large blocks are read from
/// their owners' buffers; on two teams, between calls of other kinds, in all forms.
JOB_TEST(neighborhood, blocks_in_shared_memory) {
  const team half = here.world().split(here.rank() % 2, -here.rank());
  const process_graph all = test::drawn_graph(here.size(), 41);
  const process_graph some = test::drawn_graph(half.size(), 42);
  const neighborhood wide = on_graph(here.world(), all);
  const neighborhood narrow = on_graph(half, some);
  if (!nodes_direct(here.world())) {
    EXPECT_NE(refusal([&] {
                gather(wide, all, "shared", 1, form::blocking, 0);
              }).find("load and store each other's memory"),
              std::string::npos);
    return;
  }
  constexpr std::size_t sizes[] = {1, 40, 0, 600, 7, 5000, 2, 20000};
  for (std::uint64_t call = 0; call < 200; ++call) {
    random_stream drawn(call, 3);
    const std::size_t items = sizes[drawn.below(call % 50 == 49 ? 8 : 6)];
    const auto as = static_cast<form>(drawn.below(3));
    constexpr const char* few[] = {"direct", "node_pairs", "halving:ranks=0"};
    const char* scheme = drawn.below(4) == 0 ? few[drawn.below(3)] : "shared";
    switch (drawn.below(5)) {
      case 0: gather(narrow, some, scheme, items, as, call); break;
      case 1: exchange(narrow, some, scheme, items % 1000, as, call); break;
      case 2: exchange(wide, all, scheme, items % 1000, as, call); break;
      case 3: static_cast<void>(all_reduce<sum>(half, blocking, items)); break;
      default: gather(wide, all, scheme, items, as, call);
    }
  }
}

JOB_TEST(neighborhood, is_found_from_one_end) {
  const process_graph graph = test::drawn_graph(here.size(), 21);
  const auto to = neighborhood::to(here.world(), graph.destinations(here.rank()));
  EXPECT_TRUE(std::ranges::equal(to.sources(), graph.sources(here.rank())));
  const auto from = neighborhood::from(here.world(), graph.sources(here.rank()));
  std::vector<int> sorted(graph.destinations(here.rank()).begin(),
                          graph.destinations(here.rank()).end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_TRUE(std::ranges::equal(from.destinations(), sorted));
  // Every edge is named by some rank that need not be at either end.
  std::vector<neighborhood::edge> some;
  int number = 0;
  for (int rank = 0; rank < graph.ranks(); ++rank) {
    for (const int peer : graph.destinations(rank)) {
      if (number++ % here.size() == here.rank()) some.push_back({rank, peer});
    }
  }
  const auto given = neighborhood::of_edges(here.world(), some);
  EXPECT_TRUE(std::ranges::equal(given.sources(), graph.sources(here.rank())));
  EXPECT_TRUE(std::ranges::equal(given.destinations(), sorted));
}

namespace {

/// Three blocks on each way round, of which others may still be on their way when a call is over.
void exchange_early(const neighborhood& on, std::string_view scheme, form as, std::uint64_t call) {
  constexpr std::size_t items = 4;
  const auto degree = on.destinations().size();
  const std::vector<std::uint64_t> counts(degree, items);
  std::vector<std::uint64_t> in(degree * items, item(on.among().rank(), 0, 0, call));
  std::vector<std::uint64_t> out(degree * items);
  std::vector<std::uint64_t> gathered(degree * items);
  const auto mine = std::span(in).first(items);
  const neighbor_options how{.scheme = scheme, .edges = {.exit = sync_mode::none}};
  perform(
      as, [&] { neighbor_all_to_all_v(on, blocking, in, counts, out, counts, how); },
      [&] { return neighbor_all_to_all_v(on, in, counts, out, counts, how); },
      [&] { return neighbor_all_to_all_v(on, persist, in, counts, out, counts, how); });
  perform(
      as, [&] { neighbor_all_gather_v(on, blocking, mine, gathered, counts, how); },
      [&] { return neighbor_all_gather_v(on, mine, gathered, counts, how); },
      [&] { return neighbor_all_gather_v(on, persist, mine, gathered, counts, how); });
  barrier(on.among(), blocking);  // what is behind a collective is here
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t wanted = item(on.sources()[i / items], 0, 0, call);
    ASSERT_EQ(out[i], wanted) << scheme << ", item " << i;
    ASSERT_EQ(gathered[i], wanted) << scheme << ", item " << i;
  }
}

}  // namespace

// What is asked of the blocks is not asked of their lengths, which are read before the blocks go.
JOB_TEST(neighborhood, lengths_are_here_whatever_the_exit) {
  std::vector<int> sources;
  std::vector<int> destinations;
  for (int far = 1; far <= 3; ++far) {
    destinations.push_back((here.rank() + far) % here.size());
    sources.push_back((here.rank() + 3 * here.size() - far) % here.size());
  }
  const neighborhood on(here.world(), {sources, destinations});
  std::uint64_t call = 0;
  for (const char* scheme : {"direct", "halving", "node_pairs"}) {
    for (const form as : {form::blocking, form::nonblocking, form::persistent}) {
      for (int repeat = 0; repeat < 3; ++repeat) exchange_early(on, scheme, as, ++call);
    }
  }
}

JOB_TEST(neighborhood, keeps_weights) {
  const int next = (here.rank() + 1) % here.size();
  const int before = (here.rank() + here.size() - 1) % here.size();
  const std::vector<int> to_next{next, next};
  const std::vector<int> of_before{before, before};
  const std::vector<int> mine{10 * here.rank(), 3};
  const std::vector<int> theirs{10 * before, 3};
  const std::vector<int> none;
  const auto expect_weights = [&](const neighborhood& on, const std::vector<int>& sources,
                                  const std::vector<int>& destinations) {
    EXPECT_TRUE(std::ranges::equal(on.source_weights(), sources)) << "rank " << here.rank();
    EXPECT_TRUE(std::ranges::equal(on.destination_weights(), destinations));
  };
  // Both ends name the edges: each keeps what it says.
  expect_weights({here.world(), {of_before, to_next, {}, mine}}, none, mine);
  expect_weights({here.world(), {of_before, to_next, mine, {}}}, mine, none);
  expect_weights(neighborhood::to(here.world(), to_next), none, none);
  expect_weights(neighborhood::to(here.world(), to_next, mine), theirs, mine);
  const std::vector<int> for_next{10 * next, 3};
  expect_weights(neighborhood::from(here.world(), of_before, mine), mine, for_next);
  const std::vector<neighborhood::edge> edges{{here.rank(), next}, {here.rank(), next}};
  expect_weights(neighborhood::of_edges(here.world(), edges, mine), theirs, mine);
  expect_weights(neighborhood::of_edges(here.world(), edges), none, none);
}

// Of two members that name edges to rank 0, one gives no weights.
JOB_TEST(neighborhood, edges_without_weight_weigh_1_beside_others, .least_ranks = 3) {
  const std::vector<int> to_first(here.rank() == 1 || here.rank() == 2 ? 1 : 0);
  const std::vector<int> weights(here.rank() == 2 ? 1 : 0, 7);
  const std::vector<int> both{1, 7};
  const auto on = neighborhood::to(here.world(), to_first, weights);
  EXPECT_TRUE(
      std::ranges::equal(on.source_weights(), std::span(both).first(here.rank() == 0 ? 2 : 0)));
  EXPECT_TRUE(std::ranges::equal(on.destination_weights(), weights));
}
