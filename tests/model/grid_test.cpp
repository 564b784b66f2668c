// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grids of 1 to 400 ranks in 1 to 4 dimensions: the counts in closed form against counting, the
// paper's pictures, and how evenly the work of holes is shared.
#include "upwash/model/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "upwash/base/error.hpp"

namespace {

using upwash::error;
using upwash::model::grid;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

template <class Body>
void for_many_grids(const Body& body) {
  for (int dimensions = 1; dimensions <= grid::most_dimensions; ++dimensions) {
    for (int ranks = 1; ranks <= 130; ++ranks) body(grid::near_cube(ranks, dimensions));
    for (const int ranks : {216, 217, 342, 343, 344, 399}) {
      body(grid::near_cube(ranks, dimensions));
    }
  }
  body(grid(29, std::array{3, 5, 2}));
  body(grid(47, std::array{8, 2, 3}));
  body(grid(12, std::array{12, 1}));
  body(grid(7, std::array{1, 7}));
  body(grid(91, std::array{2, 5, 4, 3}));
}

std::vector<int> sizes_of(const grid& g) {
  std::vector<int> sizes;
  for (int d = 0; d < g.dimensions(); ++d) sizes.push_back(g.size(d));
  return sizes;
}

/// All holes of a grid, found by walking the last slab.
std::vector<grid::cell> holes_of(const grid& g) {
  std::vector<grid::cell> holes;
  std::int64_t cells = 1;
  for (int d = 0; d < g.dimensions(); ++d) cells *= g.size(d);
  for (std::int64_t number = g.ranks(); number < cells; ++number) {
    grid::cell where{};
    std::int64_t rest = number;
    for (int d = 0; d < g.dimensions(); ++d) {
      where[at(d)] = static_cast<int>(rest % g.size(d));
      rest /= g.size(d);
    }
    holes.push_back(where);
  }
  return holes;
}

/// How many of a hole's senders along a dimension each rank below it serves.
template <class RepresentativeOf>
std::vector<int> loads(const grid& g, const grid::cell& hole, int dimension,
                       const RepresentativeOf& representative_of) {
  const int top = g.dimensions() - 1;
  std::vector<int> load(at(g.size(top) - 1));
  for (int c = 0; c < g.line(hole, dimension); ++c) {
    grid::cell from = hole;
    from[at(dimension)] = c;
    ++load[at(representative_of(g.rank_of(from)))];
  }
  return load;
}

}  // namespace

TEST(grid, has_the_sizes_of_the_paper) {
  EXPECT_EQ(sizes_of(grid::near_cube(14, 2)), (std::vector<int>{4, 4}));
  EXPECT_EQ(sizes_of(grid::near_cube(11, 2)), (std::vector<int>{4, 3}));
  EXPECT_EQ(sizes_of(grid::near_cube(23, 3)), (std::vector<int>{3, 3, 3}));
  EXPECT_EQ(sizes_of(grid::near_cube(28, 3)), (std::vector<int>{4, 4, 2}));
  EXPECT_EQ(sizes_of(grid::near_cube(131'072, 3)), (std::vector<int>{51, 51, 51}));
  EXPECT_TRUE(grid::near_cube(64, 3).full());
  EXPECT_FALSE(grid::near_cube(63, 3).full());
}

TEST(grid, drops_dimensions_that_leave_holes_no_slab) {
  EXPECT_EQ(sizes_of(grid::near_cube(1, 3)), (std::vector<int>{1}));
  EXPECT_EQ(sizes_of(grid::near_cube(2, 3)), (std::vector<int>{2}));
  EXPECT_EQ(sizes_of(grid::near_cube(3, 3)), (std::vector<int>{2, 2}));
  EXPECT_EQ(sizes_of(grid::near_cube(4, 3)), (std::vector<int>{2, 2}));
  EXPECT_EQ(sizes_of(grid::near_cube(5, 3)), (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(sizes_of(grid::near_cube(9, 3)), (std::vector<int>{3, 3}));
}

TEST(grid, maps_ranks_to_cells_and_back) {
  for_many_grids([](const grid& g) {
    std::set<grid::cell> seen;
    for (int rank = 0; rank < g.ranks(); ++rank) {
      const grid::cell where = g.cell_of(rank);
      EXPECT_EQ(g.rank_of(where), rank);
      EXPECT_FALSE(g.is_hole(where));
      EXPECT_TRUE(seen.insert(where).second);
    }
    for (const grid::cell& hole : holes_of(g)) EXPECT_TRUE(g.is_hole(hole));
  });
}

TEST(grid, sends_to_representatives_as_the_figures_show) {
  const grid plane = grid::near_cube(14, 2);  // figure 3.1(a): 12 sends to 2 and 3
  EXPECT_EQ(plane.toward(12, 0, 2), 2);
  EXPECT_EQ(plane.toward(12, 0, 3), 3);
  const grid worst = grid::near_cube(11, 2);  // figure 3.1(b): 3 receives two more
  EXPECT_EQ(worst.senders(3, 0), 6);
  EXPECT_EQ(worst.senders(7, 0), 5);
  EXPECT_EQ(worst.senders(3, 1), 2);
  const grid space = grid::near_cube(23, 3);  // figure 3.2: 20 sends to 5 and 8
  EXPECT_EQ(space.toward(20, 1, 1), 5);
  EXPECT_EQ(space.toward(20, 1, 2), 8);
  EXPECT_EQ(space.toward(5, 2, 2), -1);
}

TEST(grid, shares_the_work_of_holes_evenly) {
  for_many_grids([](const grid& g) {
    const int top = g.dimensions() - 1;
    for (const grid::cell& hole : holes_of(g)) {
      for (int d = 0; d < top; ++d) {
        const auto load = loads(g, hole, d, [&](int sender) {
          const int to = g.toward(sender, d, hole[at(d)]);
          grid::cell where = g.cell_of(to);
          const int slab = where[at(top)];
          where[at(top)] = hole[at(top)];
          EXPECT_EQ(where, hole);  // on the hole's line
          return slab;
        });
        const auto [least, most] = std::minmax_element(load.begin(), load.end());
        EXPECT_LE(*most - *least, 1);
      }
    }
  });
}

// The formula as printed takes the hole's own coordinate, (x2, y2, x2 mod (Z-1)): the same for all
// senders.
TEST(grid, shares_the_work_where_the_printed_formula_does_not) {
  const grid g = grid::near_cube(340, 3);  // 7 x 7 x 7, holes in the last row of the last plane
  const grid::cell hole{5, 6, 6};
  ASSERT_TRUE(g.is_hole(hole));
  const auto printed = loads(g, hole, 0, [&](int) { return hole[0] % (g.size(2) - 1); });
  EXPECT_EQ(printed, (std::vector<int>{0, 0, 0, 0, 0, 4}));
  const auto ours =
      loads(g, hole, 0, [&](int sender) { return g.cell_of(g.toward(sender, 0, hole[0]))[2]; });
  EXPECT_EQ(ours, (std::vector<int>{1, 1, 1, 1, 0, 0}));
}

TEST(grid, knows_who_sends) {
  for_many_grids([](const grid& g) {
    for (int d = 0; d < g.dimensions(); ++d) {
      std::map<int, std::vector<int>> senders;
      for (int from = 0; from < g.ranks(); ++from) {
        for (int c = 0; c < g.size(d); ++c) {
          const int to = g.toward(from, d, c);
          if (to >= 0) senders[to].push_back(from);
        }
      }
      for (int to = 0; to < g.ranks(); ++to) {
        std::vector<int> named;
        for (int i = 0; i < g.senders(to, d); ++i) named.push_back(g.sender(to, d, i));
        for (int c = 0; c < g.size(d); ++c) {
          const auto [on_line, for_hole] = g.arrivals_from(g.cell_of(to), d, c);
          for (const int index : {on_line, for_hole}) {
            if (index < 0) continue;
            EXPECT_EQ(g.cell_of(g.sender(to, d, index))[at(d)], c);
          }
        }
        EXPECT_EQ(named[at(g.cell_of(to)[at(d)])], to);  // on the line, by coordinate
        std::sort(named.begin(), named.end());
        ASSERT_EQ(named, senders[to]) << "rank " << to << " of " << g.ranks();
      }
    }
  });
}

TEST(grid, counts_ranks_by_coordinates) {
  for_many_grids([](const grid& g) {
    for (int rank = 0; rank < g.ranks(); rank += 3) {
      const grid::cell like = g.cell_of(rank);
      for (int d = 0; d < g.dimensions(); ++d) {
        std::vector<int> below(at(g.size(d) + 1));
        int alike = 0;
        for (int other = 0; other < g.ranks(); ++other) {
          const grid::cell where = g.cell_of(other);
          if (!std::equal(like.begin(), like.begin() + d, where.begin())) continue;
          for (int c = where[at(d)] + 1; c <= g.size(d); ++c) ++below[at(c)];
          alike += where[at(d)] == like[at(d)] ? 1 : 0;
        }
        for (int c = 0; c <= g.size(d); ++c) ASSERT_EQ(g.before(like, d, c), below[at(c)]);
        ASSERT_EQ(g.beyond(like, d), alike);
      }
    }
  });
}

TEST(grid, routes_everybody_to_everybody_in_a_hop_per_dimension) {
  for_many_grids([](const grid& g) {
    for (int from = 0; from < g.ranks(); from += 2) {
      for (int to = 0; to < g.ranks(); ++to) {
        int hops = 0;
        for (int here = from; here != to; ++hops) {
          ASSERT_LT(hops, g.dimensions());
          here = g.next_hop(here, to);
        }
      }
    }
  });
}

// The paper: at most 2 more messages in each of the first two phases. That holds but for 30 and 31
// ranks, where the only plane below the holes has up to 3 senders to serve.
TEST(grid, adds_at_most_four_messages_but_for_30_and_31_ranks) {
  for (int ranks = 9; ranks <= 1400; ++ranks) {
    const grid g = grid::near_cube(ranks, 3);
    if (g.dimensions() < 3) continue;
    int most = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const int more = g.senders(rank, 0) + g.senders(rank, 1) - g.size(0) - g.size(1);
      most = std::max(most, more);
    }
    if (ranks == 30 || ranks == 31) {
      EXPECT_EQ(most, ranks - 25);
    } else {
      EXPECT_LE(most, 4) << ranks;
    }
  }
}

TEST(grid, refuses_shapes_that_do_not_fit) {
  EXPECT_THROW(grid(10, std::array{3, 3}), error);    // too small
  EXPECT_THROW(grid(6, std::array{3, 3}), error);     // an empty slab
  EXPECT_THROW(grid(3, std::array{2, 2, 1}), error);  // holes and nothing below
  EXPECT_THROW(grid(4, std::array{0, 4}), error);
  EXPECT_THROW(grid(0, std::array{1}), error);
  EXPECT_THROW((void)grid::near_cube(8, 5), error);
  EXPECT_THROW((void)grid::near_cube(0, 2), error);
  try {
    (void)grid(10, std::array{3, 3});
  } catch (const error& why) {
    EXPECT_STREQ(why.what(),
                 "a grid of 3 x 3 cannot hold 10 ranks: give 1 to 4 sizes of which all slabs but "
                 "the last are full, and 2 slabs or more if that is not");
  }
}

TEST(grid, does_not_overflow) {
  const int ranks = 2'147'483'647;
  for (int dimensions = 1; dimensions <= grid::most_dimensions; ++dimensions) {
    const grid g = grid::near_cube(ranks, dimensions);
    const int highest = ranks - 1;
    EXPECT_EQ(g.rank_of(g.cell_of(highest)), highest);
    EXPECT_EQ(g.before(g.cell_of(highest), 0, g.size(0)), ranks);
    EXPECT_LE(g.size(g.dimensions() - 1), g.size(0));
  }
}
