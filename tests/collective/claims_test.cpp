// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What algorithms claim of themselves, for all in the table: distances within the window, edges of
// one source, ranks that are alike; and that they get through with as few open steps as an executor
// has, without buffers in between.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/collective/cases.hpp"
#include "tests/collective/header_run.hpp"
#include "upwash/collective/registry.hpp"

namespace {

using namespace upwash::collective;
using namespace upwash::schedule;

constexpr kind kinds[] = {kind::barrier,    kind::broadcast,     kind::scatter,
                          kind::gather,     kind::reduce,        kind::all_gather,
                          kind::all_to_all, kind::all_reduce,    kind::reduce_scatter,
                          kind::scan,       kind::exclusive_scan};

/// With direct access to each other's memory there are no messages: those are of another test.
bool is_of_messages(const upwash::collective::algorithm& one) {
  return (one.is.requirements & upwash::model::needs_direct_access) == 0 &&
         one.is.name != "central";
}

/// Each algorithm with its initial values and with its least ones, where they serve.
template <class Do>
void for_all(int ranks, const Do& what) {
  registry all;
  add_algorithms(all);
  for (const kind of : kinds) {
    const problem call{.of = of, .ranks = ranks, .bytes = 24, .element_bytes = 4};
    for (const upwash::collective::algorithm* one : all.of(of)) {
      selection with{one, upwash::model::initial_values(one->is)};
      selection least = with;
      for (std::size_t i = 0; i < one->is.parameters.size(); ++i) {
        least.with[i] = one->is.parameters[i].least;
      }
      for (const selection& chosen : {with, least}) {
        if (!is_of_messages(*one) || !registry::objection(chosen, call).empty()) continue;
        SCOPED_TRACE(testing::Message()
                     << to_string(of) << " by " << upwash::model::text_of(one->is, chosen.with)
                     << ", " << ranks << " ranks");
        what([&](int rank) { return chosen.schedule_of(call, rank); });
      }
    }
  }
}

std::vector<step> steps_of(generator from) {
  std::vector<step> all;
  for (step s; from.next(s);) all.push_back(s);
  return all;
}

}  // namespace

TEST(claims, of_windows_hold) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for_all(ranks, [&](const auto& schedule_of) {
      std::uint32_t farthest = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        for (const step& s : steps_of(schedule_of(rank))) {
          farthest = std::max(farthest, *std::max_element(s.after.begin(), s.after.end()));
        }
      }
      EXPECT_LE(farthest, schedule_of(0).window());
    });
  }
}

TEST(claims, of_edges_of_one_source_hold) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for_all(ranks, [&](const auto& schedule_of) {
      for (int rank = 0; rank < ranks && schedule_of(rank).wants().edges_apart; ++rank) {
        std::map<std::uint32_t, int> sources;
        for (const step& s : steps_of(schedule_of(rank))) {
          if (s.kind != step_kind::receive) continue;
          EXPECT_EQ(sources.try_emplace(s.edge, s.peer).first->second, s.peer);
        }
      }
    });
  }
}

TEST(claims, of_alike_ranks_hold) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for_all(ranks, [&](const auto& schedule_of) {
      if (!schedule_of(0).wants().alike) return;
      const std::vector<step> first = steps_of(schedule_of(0));
      std::set<std::uint32_t> sent;
      for (const step& s : first) {
        if (s.kind == step_kind::send) sent.insert(s.edge);
      }
      for (const step& s : first) {
        const bool has_own = s.kind != step_kind::receive || sent.count(s.edge) == 1;
        EXPECT_TRUE(has_own) << "edge " << s.edge;
      }
      for (int rank = 1; rank < ranks; ++rank) {
        const std::vector<step> other = steps_of(schedule_of(rank));
        ASSERT_EQ(other.size(), first.size());
        for (std::size_t i = 0; i < first.size(); ++i) {
          const step& a = first[i];
          const step& b = other[i];
          ASSERT_EQ(std::tie(a.kind, a.edge, a.round, a.after, a.after_all),
                    std::tie(b.kind, b.edge, b.round, b.after, b.after_all))
              << "rank " << rank << ", step " << i;
        }
      }
    });
  }
}

TEST(claims, of_few_open_steps_hold_without_buffers_in_between) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for_all(ranks, [&](const auto& schedule_of) {
      expectation of;
      of.ranks = ranks;
      const std::size_t open = std::max<std::size_t>(schedule_of(0).window() + 1, 32);
      const upwash::test::header_run run(of, open, schedule_of);
      EXPECT_TRUE(run.finished());
    });
  }
}
