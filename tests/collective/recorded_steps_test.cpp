// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of each algorithm in the table are those that were recorded: rewriting one changes
// nothing that runs or is priced. Of a step all is compared, of what an algorithm needs all but the
// window, which the claims are checked against. Where steps depend on what arrives, the headers of
// all ranks flow, and their words are compared too. UPWASH_RECORD_STEPS=FILE writes the file anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/collective/header_run.hpp"
#include "tests/collective/message_set.hpp"
#include "tests/collective/node_maps.hpp"
#include "tests/collective/spread_values.hpp"
#include "tests/collective/uneven_call.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/registry.hpp"

namespace {

using namespace upwash::schedule;
using upwash::collective::kind;
using upwash::collective::problem;
using upwash::collective::selection;
namespace collective = upwash::collective;

class digest {
 public:
  template <class... Words>
  void add(Words... words) {
    (add_word(static_cast<std::uint64_t>(words)), ...);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  void add_word(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15U;
    value_ ^= value_ >> 29U;
  }
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

void add(digest& to, const piece& p) { to.add(p.of, p.offset, p.bytes, p.owner); }

/// Of steps that are no messages nor counters the edge says nothing.
bool has_edge(const step& s) {
  return s.kind != step_kind::copy && s.kind != step_kind::reduce && s.kind != step_kind::stage &&
         !s.in_network();
}

void add(digest& to, const step& s) {
  to.add(s.kind, s.placed, s.acknowledged, s.counted, s.after_all, s.peer, s.round);
  if (has_edge(s)) to.add(s.edge);
  for (const piece& p : {s.left, s.right, s.into}) add(to, p);
  to.add(s.header.first, s.header.count, s.length_slot, s.value);
  for (const std::uint32_t distance : s.after) to.add(distance);
}

void add(digest& to, const needs& wants) {
  to.add(wants.scratch_bytes, wants.shared_bytes, wants.counters, wants.rank_class);
  to.add(wants.exposes_input, wants.exposes_output, wants.edges_apart, wants.alike);
  if (wants.announces) to.add(wants.announces);
}

void add_all(digest& to, const selection& with, const problem& call) {
  for (int rank = 0; rank < call.ranks; ++rank) {
    generator steps = with.schedule_of(call, rank);
    add(to, steps.wants());
    for (step s; steps.next(s);) add(to, s);
  }
}

/// First, least and some values in between.
std::vector<upwash::model::values> values_of(const collective::algorithm& one) {
  return upwash::test::spread_values(one, {0, 1, 3, 64});
}

std::vector<problem> calls_of(kind of, int ranks) {
  std::vector<problem> all;
  for (const std::uint64_t bytes : {0, 24, 1000}) {
    for (const int root : {0, ranks - 1}) {
      for (const bool in_place : {false, true}) {
        for (const int ranks_per_node : {1, 4}) {
          if (ranks_per_node >= ranks && ranks_per_node != 1) continue;
          problem call{.of = of, .ranks = ranks, .bytes = bytes, .element_bytes = 4};
          call.root = collective::is_rooted(of) || of == kind::broadcast ? root : 0;
          call.in_place = in_place;
          call.commutative = root == 0;
          call.ranks_per_node = ranks_per_node;
          call.nodes = upwash::test::blocks_of_nodes(ranks, ranks_per_node);
          call.direct_access = call.network_collectives = true;
          call.shared_scratch = 1U << 20U;
          all.push_back(call);
        }
      }
    }
  }
  return all;
}

using digests = std::map<std::string, std::string>;

void add_row(digests& to, const collective::algorithm& one, int ranks) {
  digest all;
  int served = 0;
  for (const problem& call : calls_of(one.of, ranks)) {
    for (const upwash::model::values& with : values_of(one)) {
      const selection chosen{&one, with};
      if (!collective::registry::objection(chosen, call).empty()) continue;
      add_all(all, chosen, call);
      ++served;
    }
  }
  if (served == 0) return;
  to[std::string(to_string(one.of)) + "/" + std::string(one.is.name) + "/" +
     std::to_string(ranks)] = std::to_string(all.value());
}

/// Lengths or messages that come from elsewhere; some too long to go with their header.
expectation run_of(kind of, int ranks, std::uint64_t seed) {
  if (of == kind::many_to_many) return upwash::test::drawn_messages(ranks, seed).of;
  if (of == kind::many_to_many_multicast) return upwash::test::drawn_blocks(ranks, seed).of;
  return upwash::test::uneven_call(ranks, seed % 3, [&](int from, int to) -> std::uint64_t {
    const std::uint64_t draw =
        upwash::random_bits(seed, 7, static_cast<std::uint64_t>(from * 97 + to));
    return draw % 3 == 0 ? 0 : draw % 17 == 1 ? 2000 + draw / 17 % 5000 : draw / 17 % 600;
  });
}

void add_run(digest& to, const selection& with, const problem& call, const expectation& of) {
  std::vector<digest> ranks(static_cast<std::size_t>(call.ranks));
  const auto watch = [&](int rank, const step& s, std::span<const std::uint64_t> words) {
    digest& here = ranks[static_cast<std::size_t>(rank)];
    add(here, s);
    if (s.kind != step_kind::send) return;
    for (const std::uint64_t word : words.subspan(s.header.first, s.header.count)) here.add(word);
  };
  const upwash::test::header_run run(
      of, 300,
      [&](int rank) {
        generator steps = with.schedule_of(call, rank);
        add(to, steps.wants());
        to.add(steps.wants().slots);
        return steps;
      },
      watch);
  EXPECT_TRUE(run.finished()) << with.chosen->is.name;
  for (const digest& each : ranks) to.add(each.value());
}

void add_runs(digests& to, const collective::algorithm& one, int ranks) {
  digest all;
  int served = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const problem call{.of = one.of, .ranks = ranks, .known_senders = true};
    const expectation of = run_of(one.of, ranks, seed);
    for (const upwash::model::values& with : values_of(one)) {
      const selection chosen{&one, with};
      if (!collective::registry::objection(chosen, call).empty()) continue;
      add_run(all, chosen, call, of);
      ++served;
    }
  }
  if (served == 0) return;
  to[std::string(to_string(one.of)) + "/" + std::string(one.is.name) + "/" +
     std::to_string(ranks)] = std::to_string(all.value());
}

/// Those whose messages nobody expects are known from the caller's arrays alone.
bool asks_in_a_run(const collective::algorithm& one) {
  if (one.of == kind::all_to_all_v) return true;
  const bool items = one.of == kind::many_to_many || one.of == kind::many_to_many_multicast;
  return items && one.is.name != "direct" && one.is.name != "sparse";
}

bool known_in_a_run_only(kind of) {
  return collective::is_uneven(of) || of == kind::all_to_all_v || of == kind::many_to_many ||
         of == kind::many_to_many_multicast;
}

digests of_all() {
  digests all;
  collective::registry table;
  collective::add_algorithms(table);
  for (const std::string_view name : collective::kind_names()) {
    const bool in_a_run_only = known_in_a_run_only(collective::kind_named(name));
    for (const collective::algorithm* one : table.of(collective::kind_named(name))) {
      for (const int ranks : {1, 2, 3, 5, 8, 9, 12, 16, 27}) {
        if (!in_a_run_only) add_row(all, *one, ranks);
        if (asks_in_a_run(*one)) add_runs(all, *one, ranks);
      }
      if (asks_in_a_run(*one)) add_runs(all, *one, 61);
    }
  }
  return all;
}

}  // namespace

TEST(recorded_steps, are_those_of_all_algorithms) {
  const digests now = of_all();
  if (const char* file = std::getenv("UPWASH_RECORD_STEPS")) {
    std::ofstream(file) << nlohmann::json(now).dump(1) << '\n';
    GTEST_SKIP() << "recorded in " << file;
  }
  std::ifstream file(std::string(UPWASH_SOURCE_DIR) + "/tests/collective/recorded_steps.json");
  const auto recorded = nlohmann::json::parse(file).get<digests>();
  EXPECT_EQ(now.size(), recorded.size());
  for (const auto& [row, value] : recorded) {
    const auto found = now.find(row);
    ASSERT_NE(found, now.end()) << row << " is gone";
    EXPECT_EQ(found->second, value) << row;
  }
}
