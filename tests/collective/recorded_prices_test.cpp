// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The prices of each algorithm in the table, on machines that differ, are those that were recorded,
// to the picosecond: rewriting the pricer changes none of them. What a digest covers: the whole
// result, and which way it came about. UPWASH_RECORD_PRICES=FILE writes the file anew.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/collective/node_maps.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/schedule/price.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using schedule::mechanism;
using schedule::price_options;
using schedule::price_result;
using schedule::transfer_rules;

class digest {
 public:
  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15U;
    value_ ^= value_ >> 29U;
  }
  void add(duration time) { add(static_cast<std::uint64_t>(time.ps())); }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

void add(digest& to, const price_result& of) {
  for (const duration time :
       {of.completion, of.processor_most, of.processor_mean, of.core_sharing}) {
    to.add(time);
  }
  to.add(of.rounds);
  to.add(of.edge_sizes);
  to.add(static_cast<std::uint64_t>(of.ranks_walked));
  to.add(of.steps_walked);
  to.add(of.rounds_skipped);
  for (const schedule::rank_price& each : of.ranks) {
    to.add(each.completion);
    to.add(each.processor);
  }
  for (const std::uint32_t one : of.stands_for) to.add(one);
}

/// Ways to travel and to charge, one after the other.
class variations {
 public:
  void next() { ++which_; }
  [[nodiscard]] transfer_rules rules(transfer_rules of) const {
    constexpr std::array<mechanism, 3> forced{mechanism::rendezvous, mechanism::single_copy,
                                              mechanism::signalling_put};
    if (const std::size_t i = which_ % 5; i < forced.size()) of.forced = forced.at(i);
    of.direct = of.direct && which_ % 7 < 4;
    if (which_ % 3 == 1) of.addresses = schedule::address_mode::single;
    return of;
  }
  [[nodiscard]] price_options options() const {
    price_options with;
    with.free_where_absent = true;
    with.messages = which_ % 2 == 0 ? price_options::costs::loggp : price_options::costs::as_given;
    with.charge_combining = which_ % 3 == 0;
    with.from_nic_memory = which_ % 11 == 0;
    with.every_rank = which_ % 4 == 3;
    with.coarse = which_ % 13 == 5;
    with.steps_before_skipping = which_ % 5 == 4 ? 300 : 1'500;
    with.most_steps = 10'000;
    with.per_rank = true;
    return with;
  }

 private:
  std::size_t which_ = 0;
};

void add_price(digest& to, const selection& one, const problem& call, const machine& on,
               const variations& now) {
  try {
    add(to, schedule::price(
                call.ranks, [&](int rank) { return one.priced_schedule_of(call, rank); }, on,
                now.rules(rules_of(one, call)), now.options()));
  } catch (const error& refused) {
    to.add(static_cast<std::uint64_t>(refused.kind()));
  }
}

std::string digest_of(const algorithm& each, const machine& on) {
  const selection one{&each, model::initial_values(each.is)};
  variations now;
  digest all;
  bool served = false;
  for (const int ranks : {2, 7, 40, 300, 4096}) {
    for (const std::uint64_t bytes : {24, 4096, 1 << 22}) {
      now.next();
      problem call{.of = each.of, .ranks = ranks, .bytes = bytes, .element_bytes = 8};
      const int of_node = on.ranks_in(level_kind::node);
      call.ranks_per_node = of_node < ranks ? of_node : 1;
      call.nodes = test::blocks_of_nodes(ranks, call.ranks_per_node);
      call.direct_access = call.network_collectives = true;
      call.shared_scratch = 1U << 20U;
      if (!registry::objection(one, call).empty()) continue;
      add_price(all, one, call, on, now);
      served = true;
    }
  }
  return served ? std::to_string(all.value()) : "";
}

using digests = std::map<std::string, std::string>;

digests of_all() {
  digests all;
  registry table;
  add_algorithms(table);
  for (const char* name : {"laptop", "edr", "lemieux", "summit", "constellation"}) {
    if (test::sanitized && std::string_view(name) != "summit") continue;
    machine on = predictor(load_machine(name)).edged();
    if (!on.nic.memory_beta_ns_per_byte) on.nic.memory_beta_ns_per_byte = 0.5;
    if (!on.nic.memory_copy_ns_per_byte) on.nic.memory_copy_ns_per_byte = 0.25;
    for (const std::string_view of : kind_names()) {
      for (const algorithm* each : table.of(kind_named(of))) {
        const std::string value = digest_of(*each, on);
        if (value.empty()) continue;
        all[std::string(of) + "/" + std::string(each->is.name) + "/" + name] = value;
      }
    }
  }
  return all;
}

}  // namespace

TEST(recorded_prices, are_those_of_all_algorithms) {
  const digests now = of_all();
  if (const char* file = std::getenv("UPWASH_RECORD_PRICES")) {
    std::ofstream(file) << nlohmann::json(now).dump(1) << '\n';
    GTEST_SKIP() << "recorded in " << file;
  }
  std::ifstream file(std::string(UPWASH_SOURCE_DIR) + "/tests/collective/recorded_prices.json");
  const auto recorded = nlohmann::json::parse(file).get<digests>();
  EXPECT_TRUE(test::sanitized || now.size() == recorded.size()) << now.size();
  ASSERT_FALSE(now.empty());
  for (const auto& [row, value] : now) {
    const auto found = recorded.find(row);
    ASSERT_NE(found, recorded.end()) << row << " is new: record it";
    EXPECT_EQ(value, found->second) << row;
  }
}
