// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A traced job does the same, and its trace has what it did: every message with both ends, puts,
// gets and atomics, waits, collectives.
#include "upwash/conduit/traced/traced_world.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/harness/worlds.hpp"
#include "upwash/core/host.hpp"
#include "upwash/observe/trace_files.hpp"
#include "upwash/upwash.hpp"

namespace upwash {
namespace {

namespace files = std::filesystem;
using observe::trace_event;
using observe::trace_kind;

constexpr int rounds = 20;

struct totals final : service_base {
  explicit totals(job& /*here*/) {}
  std::uint64_t sum = 0;
};

void add(incoming& in, std::uint64_t value) { in.here().service<totals>().sum += value; }

/// What the ranks of a program find out, to be the same traced and not.
struct findings {
  std::vector<std::uint64_t> sums;
  std::vector<std::uint64_t> words;
};

void program(job& here, findings& found) {
  const team world = here.world();
  const int size = world.size();
  const int mine = world.rank();
  region words = allocate(world, (static_cast<std::size_t>(size) + 1) * sizeof(std::uint64_t));
  const auto word = [&words](int rank, int index) {
    return words.at<std::uint64_t>(rank, static_cast<std::uint64_t>(index));
  };
  for (int i = 0; i < rounds; ++i) {
    for (int to = 0; to < size; ++to) send<&add>(here, to, std::uint64_t{1} << (to % 8));
    put_value(here, word((mine + 1) % size, mine), static_cast<std::uint64_t>(i));
    static_cast<void>(fetch_add(here, word(0, size), 1));
    std::uint64_t one = 1;
    std::uint64_t all = 0;
    all_reduce<sum>(world, std::span(&one, 1), std::span(&all, 1)).wait();
    EXPECT_EQ(all, static_cast<std::uint64_t>(size));
  }
  control::barrier(world);
  const auto at = static_cast<std::size_t>(mine);
  found.words[at] = get_value(here, word((mine + 1) % size, mine));
  here.compute(duration::from_us(5));
  free(words);
  host(here).settle();
  found.sums[at] = here.service<totals>().sum;
}

findings run(conduit::world& on) {
  const auto ranks = static_cast<std::size_t>(on.size());
  findings found{std::vector<std::uint64_t>(ranks), std::vector<std::uint64_t>(ranks)};
  run_on(on, {}, [&found](job& here) { program(here, found); });
  return found;
}

using made_world = std::unique_ptr<conduit::world>;

class traced_jobs : public testing::TestWithParam<std::pair<const char*, made_world (*)(int)>> {
 protected:
  traced_jobs() {
    std::string made = (files::temp_directory_path() / "upwash-traced-XXXXXX").string();
    folder_ = mkdtemp(made.data());
  }
  ~traced_jobs() override { files::remove_all(folder_); }
  std::string folder_;
};

/// Messages: from, to, lane, number.
using message_key = std::tuple<int, int, int, std::uint32_t>;

TEST_P(traced_jobs, do_the_same_and_write_all_of_it) {
  for (const int ranks : {1, 2, 5}) {
    const std::string folder = folder_ + "/" + std::to_string(ranks);
    const findings plain = run(*GetParam().second(ranks));
    const made_world traced = conduit::trace(GetParam().second(ranks), {.folder = folder});
    const findings seen = run(*traced);
    EXPECT_EQ(seen.sums, plain.sums);
    EXPECT_EQ(seen.words, plain.words);

    const observe::trace all = observe::read_trace(folder);
    EXPECT_EQ(all.faults, std::vector<std::string>{});
    ASSERT_EQ(all.size(), ranks);
    std::map<message_key, std::int64_t> sent;
    std::map<message_key, std::int64_t> came;
    std::map<trace_kind, int> counts;
    for (const observe::traced_rank& rank : all.ranks) {
      const int r = rank.head.rank;
      for (const trace_event& e : rank.events) {
        ++counts[e.kind];
        if (e.kind == trace_kind::send) {
          EXPECT_TRUE(sent.try_emplace({r, e.peer, e.lane, e.number}, e.begin_ps).second);
        } else if (e.kind == trace_kind::arrive) {
          EXPECT_TRUE(came.try_emplace({e.peer, r, e.lane, e.number}, e.begin_ps).second);
        } else if (e.kind == trace_kind::collective) {
          EXPECT_NE(rank.name_of(e).find("traced_test.cpp:"), std::string_view::npos)
              << rank.name_of(e);
        }
      }
    }
    ASSERT_EQ(sent.size(), came.size());
    for (const auto& [key, at] : sent) {
      ASSERT_TRUE(came.contains(key));
      EXPECT_LE(at, came[key]);
    }
    // Each sends one to each, itself too, in each round, beside what the library sends.
    EXPECT_GE(sent.size(), static_cast<std::size_t>(rounds * ranks * ranks));
    EXPECT_EQ(counts[trace_kind::collective], ranks * rounds);
    EXPECT_EQ(counts[trace_kind::compute], ranks);
    EXPECT_EQ(counts[trace_kind::choice], ranks);  // for the one shape of calls
    if (ranks > 1) {
      EXPECT_GE(counts[trace_kind::wait], 1);
      EXPECT_GE(counts[trace_kind::step], ranks * rounds);
    }
  }
}

/// The clock is virtual: two traces of a run are the same.
TEST(traced_sim, writes_the_same_again) {
  std::string made = (files::temp_directory_path() / "upwash-traced-XXXXXX").string();
  const std::string folder = mkdtemp(made.data());
  std::vector<observe::trace> both;
  for (const std::string name : {"/a", "/b"}) {
    static_cast<void>(run(*conduit::trace(test::sim_of(4), {.folder = folder + name})));
    both.push_back(observe::read_trace(folder + name));
  }
  for (std::size_t r = 0; r < 4; ++r) {
    const auto& a = both[0].ranks[r].events;
    const auto& b = both[1].ranks[r].events;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].begin_ps, b[i].begin_ps);
      EXPECT_EQ(a[i].length_ps, b[i].length_ps);
      EXPECT_EQ(a[i].kind, b[i].kind);
      EXPECT_EQ(a[i].peer, b[i].peer);
    }
  }
  files::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(conduits, traced_jobs,
                         testing::Values(std::pair("loopback", &test::loopback_of),
                                         std::pair("sim", &test::sim_of)),
                         [](const auto& of) { return of.param.first; });

}  // namespace
}  // namespace upwash
