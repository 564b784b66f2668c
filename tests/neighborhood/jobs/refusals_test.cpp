// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What neighborhoods and their collectives refuse, and in which words; nobody waits for a member
// that has refused.
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "tests/neighborhood/refusal.hpp"
#include "upwash/neighborhood/neighbor_all_gather.hpp"
#include "upwash/neighborhood/neighbor_all_gather_v.hpp"
#include "upwash/neighborhood/neighbor_all_to_all.hpp"
#include "upwash/neighborhood/neighbor_all_to_all_v.hpp"

namespace {

using namespace upwash;
using test::refusal;

void expect_says(const std::string& said, const std::string& what) {
  EXPECT_NE(said.find(what), std::string::npos) << said;
}

/// What one member objects to, as all hear it.
void expect_refuses(const job& here, int member, const std::string& said, const std::string& what) {
  const std::string who =
      here.rank() == member ? std::string() : fmt::format("member {} refuses: ", member);
  expect_says(said, fmt::format("rank {}: neighborhood: {}{}", here.rank(), who, what));
}

struct ring_of_ranks {
  explicit ring_of_ranks(const team& among)
      : before{(among.rank() + among.size() - 1) % among.size()},
        behind{(among.rank() + 1) % among.size()} {}
  [[nodiscard]] neighbors ends() const { return {before, behind}; }
  std::vector<int> before;
  std::vector<int> behind;
};

}  // namespace

JOB_TEST(neighborhood_refusals, edges_with_one_end, .least_ranks = 2) {
  const int last = here.size() - 1;
  const std::vector<int> to_last{last};
  const std::vector<int> none;
  const auto one_end = [&] {
    neighborhood(here.world(), {none, here.rank() == 0 ? to_last : none});
  };
  expect_refuses(here, last, refusal(one_end),
                 fmt::format("member 0 names 1 edges to member {}, which names 0 from it; name "
                             "each edge at both ends",
                             last));
  const std::vector<int> outside{here.size()};
  const auto leaves = [&] {
    neighborhood(here.world(), {none, here.rank() == 0 ? outside : none});
  };
  expect_refuses(here, 0, refusal(leaves),
                 fmt::format("destination {} is not in the team", here.size()));
}

JOB_TEST(neighborhood_refusals, calls_that_do_not_fit) {
  const neighborhood empty(here.world(), {});
  std::vector<int> data(3);
  std::vector<int> nothing;
  EXPECT_NE(
      refusal([&] { neighbor_all_gather(empty, blocking, nothing, data); }).find("has 3 items"),
      std::string::npos);
  EXPECT_NE(refusal([&] {
              neighbor_all_gather(empty, blocking, data, nothing, {.scheme = "doubling"});
            }).find("of a grid"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              neighbor_all_to_all(empty, blocking, nothing, nothing);
            }).find("neighbor_options::items"),
            std::string::npos);
  neighbor_all_gather(empty, blocking, data, nothing);
}

JOB_TEST(neighborhood_refusals, grids_that_differ, .least_ranks = 2) {
  const ring_of_ranks ring(here.world());
  const auto made_on = [&](const std::optional<grid>& on) {
    return refusal([&] { neighborhood(here.world(), ring.ends(), on); });
  };
  const bool first = here.rank() == 0;
  const grid closed({here.size()}, {true});
  const grid open({here.size()});
  const std::string rings = made_on(first ? closed : open);
  expect_says(rings, fmt::format("rank {}: neighborhood: members give different grids, or some "
                                 "give none; this one gives {}{}; give the same at all",
                                 here.rank(), here.size(), first ? " ring" : ""));
  expect_says(made_on(first ? std::optional<grid>() : closed),
              first ? "this one gives none" : fmt::format("gives {} ring", here.size()));
  expect_says(made_on(first ? closed : std::optional<grid>()), "members give different grids");
  expect_says(made_on(first ? grid({here.size(), 1}) : grid({1, here.size()})),
              "members give different grids");
  expect_says(made_on(grid({here.size() + 1})), "a grid of");
  expect_refuses(here, 0, made_on(first ? grid({here.size() + 1}) : open),
                 fmt::format("a grid of {} ranks", here.size() + 1));
  EXPECT_EQ(made_on(closed), "");
}

JOB_TEST(neighborhood_refusals, edges_between_others_that_are_not_there) {
  const auto made_of = [&](const neighborhood::edge& one) {
    std::vector<neighborhood::edge> edges;
    if (here.rank() == 0) edges.push_back(one);
    return refusal([&] { static_cast<void>(neighborhood::of_edges(here.world(), edges)); });
  };
  for (const neighborhood::edge& each : {neighborhood::edge{99, 98}, {-1, 0}, {0, here.size()}}) {
    expect_refuses(here, 0, made_of(each),
                   fmt::format("the edge from {} to {} leaves the team of {} ranks", each.from,
                               each.to, here.size()));
  }
  EXPECT_EQ(made_of({0, here.size() - 1}), "");
}

JOB_TEST(neighborhood_refusals, weights) {
  const ring_of_ranks ring(here.world());
  const bool first = here.rank() == 0;
  const std::vector<int> fine{4};
  const std::vector<int> two{1, 2};
  const std::vector<int> below{-1};
  const auto with = [&](const std::vector<int>& sources, const std::vector<int>& destinations) {
    return refusal([&] {
      neighborhood(here.world(), {ring.before, ring.behind, sources, destinations});
    });
  };
  expect_refuses(here, 0, with(first ? two : fine, {}),
                 "2 weights for 1 sources; give one for each");
  expect_refuses(here, 0, with({}, first ? below : fine),
                 "a weight of the destinations is -1; give 0 or above");
  const auto to = [&](const std::vector<int>& weights) {
    return refusal(
        [&] { static_cast<void>(neighborhood::to(here.world(), ring.behind, weights)); });
  };
  expect_refuses(here, 0, to(first ? two : fine), "2 weights for 1 destinations");
  const std::vector<neighborhood::edge> edges{{here.rank(), ring.behind[0]}};
  const auto of_edges = [&](const std::vector<int>& weights) {
    return refusal(
        [&] { static_cast<void>(neighborhood::of_edges(here.world(), edges, weights)); });
  };
  expect_refuses(here, 0, of_edges(first ? two : fine), "2 weights for 1 edges");
  expect_refuses(here, 0, of_edges(first ? below : fine), "a weight of the edges is -1");
  // Who named it is named, not the other end.
  const int last = here.size() - 1;
  const std::vector<int> far_below{-5};
  const auto& given = here.rank() == last ? far_below : fine;
  expect_refuses(here, last, to(given), "a weight of the destinations is -5");
  expect_refuses(here, last, of_edges(given), "a weight of the edges is -5");
  EXPECT_EQ(with(fine, fine) + to(fine) + of_edges({}), "");
}

JOB_TEST(neighborhood_refusals, radii) {
  const grid on({here.size()}, {true});
  const auto within = [&](int radius) {
    return refusal([&] { static_cast<void>(neighborhood::moore(here.world(), on, radius)); });
  };
  expect_says(within(-1), "grid: radius -1; it must be at least 0");
  expect_says(within(2'000'000'000), "grid: radius 2000000000 in 1 dimensions: more than 16777216");
  expect_refuses(here, 0, within(here.rank() == 0 ? -7 : 1), "grid: radius -7");
  EXPECT_EQ(within(0), "");
}

JOB_TEST(neighborhood_refusals, what_was_moved_from) {
  const ring_of_ranks ring(here.world());
  neighborhood from(here.world(), ring.ends());
  const neighborhood to = std::move(from);
  std::vector<int> data(1, here.rank());
  std::vector<int> came(1);
  const std::string wanted = fmt::format(
      "rank {}: a neighborhood is used that was moved from: use what it was moved to", here.rank());
  // NOLINTBEGIN(bugprone-use-after-move)
  EXPECT_EQ(refusal([&] { neighbor_all_gather(from, blocking, data, came); }), wanted);
  EXPECT_EQ(refusal([&] { static_cast<void>(from.sources()); }), wanted);
  EXPECT_EQ(refusal([&] { static_cast<void>(from.destinations()); }), wanted);
  EXPECT_EQ(refusal([&] { static_cast<void>(from.among()); }), wanted);
  // NOLINTEND(bugprone-use-after-move)
  neighbor_all_gather(to, blocking, data, came);
  EXPECT_EQ(came[0], ring.before[0]);
}

JOB_TEST(neighborhood_refusals, sizes_beyond_64_bits) {
  const ring_of_ranks ring(here.world());
  const neighborhood on(here.world(), ring.ends());
  std::vector<std::uint64_t> in(4);
  std::vector<std::uint64_t> out(4);
  const std::vector<std::uint64_t> fine{4};
  const std::vector<std::uint64_t> wraps{std::uint64_t{1} << 61U};
  const std::string said = "blocks of 2305843009213693952 items of 8 bytes are more than any";
  expect_says(refusal([&] { neighbor_all_to_all_v(on, blocking, in, wraps, out, wraps); }), said);
  expect_says(refusal([&] { neighbor_all_to_all_v(on, blocking, in, fine, out, wraps); }), said);
  expect_says(refusal([&] { neighbor_all_gather_v(on, blocking, in, out, wraps); }), said);
  expect_says(
      refusal([&] { neighbor_all_gather_v(on, blocking, in, out, member_counts(fine, wraps)); }),
      "offsets of 2305843009213693952 items");
  // Two blocks of 2^63 items, or bytes, have none by 64 bits.
  const std::vector<int> twice_to{ring.behind[0], ring.behind[0]};
  const std::vector<int> twice_from{ring.before[0], ring.before[0]};
  const neighborhood twice(here.world(), {twice_from, twice_to});
  const std::vector<std::uint64_t> none;
  std::vector<std::uint64_t> into;
  expect_says(refusal([&] {
                neighbor_all_to_all(twice, blocking, none, into, {.items = std::size_t{1} << 63U});
              }),
              "has 0 items where 2 blocks of 9223372036854775808 are wanted");
  const neighborhood alone(here.world(), {});
  expect_says(refusal([&] {
                neighbor_all_to_all(alone, blocking, none, into, {.items = std::size_t{1} << 61U});
              }),
              said);
}

JOB_TEST(neighborhood_refusals, an_algorithm_beside_the_scheme) {
  const ring_of_ranks ring(here.world());
  const neighborhood on(here.world(), ring.ends());
  std::vector<std::uint64_t> in(1);
  std::vector<std::uint64_t> out(1);
  const std::vector<std::uint64_t> one{1};
  const neighbor_options how{.edges = {.algorithm = "ring"}};
  const std::string said =
      "edges.algorithm is \"ring\"; it chooses nothing here: give "
      "neighbor_options::scheme";
  expect_says(refusal([&] { neighbor_all_gather(on, blocking, in, out, how); }),
              "neighbor_all_gather: neighbor_options::" + said);
  expect_says(refusal([&] { neighbor_all_to_all_v(on, blocking, in, one, out, one, how); }),
              "neighbor_all_to_all: neighbor_options::" + said);
}

JOB_TEST(neighborhood_refusals, blocks_that_overlap) {
  const ring_of_ranks ring(here.world());
  const std::vector<int> to{ring.behind[0], ring.before[0]};
  const std::vector<int> from{ring.before[0], ring.behind[0]};
  const neighborhood on(here.world(), {from, to});
  std::vector<std::uint64_t> all(16);
  const std::span<std::uint64_t> data(all);
  const std::vector<std::uint64_t> counts{2, 3};
  const std::vector<std::uint64_t> apart{4, 0};
  const std::vector<std::uint64_t> overlapping{2, 1};
  const auto out_at = [&](const std::vector<std::uint64_t>& at) {
    return refusal([&] {
      neighbor_all_to_all_v(on, blocking, data.first(8), counts, data.last(8),
                            member_counts(counts, at));
    });
  };
  expect_says(out_at(overlapping),
              "neighbor_all_to_all: block 0 of the output (16 bytes) overlaps block 1 of the "
              "output (24 bytes); give blocks that are apart");
  expect_says(refusal([&] { neighbor_all_to_all_v(on, blocking, data, counts, data, counts); }),
              "overlaps block 0 of the ");
  expect_says(refusal([&] {
                neighbor_all_gather_v(on, blocking, data.subspan(1, 3), data.first(5), counts);
              }),
              "overlaps block");
  const std::span<std::byte> bytes = std::as_writable_bytes(data);
  const std::vector<std::span<const std::byte>> sent{bytes.subspan(16, 8), bytes.subspan(16, 8)};
  const std::vector<std::span<std::byte>> received{bytes.subspan(0, 8), bytes.subspan(20, 8)};
  expect_says(refusal([&] { neighbor_all_to_all_w(on, blocking, sent, received); }),
              "block 1 of the output (8 bytes) overlaps block ");
}

JOB_TEST(neighborhood_refusals, not_blocks_that_are_apart_in_one_array) {
  const ring_of_ranks ring(here.world());
  const std::vector<int> to{ring.behind[0], ring.before[0]};
  const std::vector<int> from{ring.before[0], ring.behind[0]};
  const neighborhood on(here.world(), {from, to});
  std::vector<int> all(4, here.rank());
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(all));
  // The same bytes go both ways; what comes lies around them.
  const std::vector<std::span<const std::byte>> sent{bytes.subspan(4, 4), bytes.subspan(4, 4)};
  const std::vector<std::span<std::byte>> received{bytes.subspan(12, 4), bytes.subspan(0, 4)};
  EXPECT_EQ(refusal([&] { neighbor_all_to_all_w(on, blocking, sent, received); }), "");
  EXPECT_EQ(all, (std::vector<int>{ring.behind[0], here.rank(), here.rank(), ring.before[0]}));
}

// The names of two schemes, whatever each of them would have waited for.
TEST(neighborhood_refusals, schemes_that_differ_in_checked_runs) {
  const auto call = [](const char* first, const char* others) {
    return [=](job& here) {
      const ring_of_ranks ring(here.world());
      const neighborhood on(here.world(), ring.ends());
      std::vector<int> in(3, here.rank());
      std::vector<int> out(3);
      for (const char* scheme : {others, first, here.rank() == 0 ? first : others}) {
        neighbor_all_gather(on, blocking, in, out, {.scheme = scheme});
      }
      barrier(here.world(), blocking);
    };
  };
  for (const int ranks : {2, 5}) {
    for (const auto& [first, others] :
         {std::pair{"halving", "direct"},
          {"direct", "node_pairs"},
          {"friends:k=2,theta=1,cumulative=1", "friends:k=2,theta=1,cumulative=0"}}) {
      const std::string said =
          test::message_of(*test::loopback_of(ranks), call(first, others), {.checked = true});
      expect_says(said, "call different collectives");
      expect_says(said, fmt::format("calls neighbor_all_gather by {} of 12 bytes", first));
      expect_says(said, fmt::format("calls neighbor_all_gather by {} of 12 bytes", others));
      EXPECT_EQ(test::message_of(*test::loopback_of(ranks), call(first, first), {.checked = true}),
                "no error");
    }
  }
}

TEST(neighborhood_refusals, schemes_that_differ_where_none_is_planned) {
  const auto first_calls = [](job& here) {
    const ring_of_ranks ring(here.world());
    const neighborhood on(here.world(), ring.ends());
    const std::vector<std::uint64_t> one{1};
    std::vector<int> in(1);
    std::vector<int> out(1);
    const char* scheme = here.rank() == 1 ? "friends" : "direct";
    neighbor_all_to_all_v(on, blocking, in, one, out, one, {.scheme = scheme});
  };
  for (const bool simulated : {false, true}) {
    const auto world = simulated ? test::sim_of(4) : test::loopback_of(4);
    const std::string said = test::message_of(*world, first_calls, {.checked = true});
    expect_says(said, "calls neighbor_all_to_all by direct of 0 bytes");
    expect_says(said, "calls neighbor_all_to_all by friends of 0 bytes");
  }
}
