// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of cases: how an edge travels, by size, addresses, entry and what is forced.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/schedule/lower.hpp"

namespace {

using namespace upwash::schedule;

transfer_rules rules(address_mode addresses, sync_mode entry, bool direct = false) {
  transfer_rules all;
  all.addresses = addresses;
  all.entry = entry;
  all.direct = direct;
  return all;
}

transfer_rules forced(transfer_rules all, mechanism how) {
  all.forced = how;
  return all;
}

/// "message 100", "<message 0" (backwards), one behind the other.
std::string text(const wire& way) {
  constexpr const char* names[] = {"message", "put", "get", "copy"};
  std::string all(to_string(way.how));
  for (const wire_step& s : way.all()) {
    all += std::string(s.backwards ? " <" : " ") + names[static_cast<int>(s.what)] + ":" +
           std::to_string(s.bytes);
  }
  return all;
}

constexpr auto local = address_mode::local;
constexpr auto single = address_mode::single;

}  // namespace

TEST(lower, sends_small_edges_as_one_message) {
  for (const auto& all : {rules(local, sync_mode::mine), rules(single, sync_mode::none, true)}) {
    EXPECT_EQ(text(lower(512, true, false, all)), "eager message:512");
    EXPECT_EQ(text(lower(0, false, false, all)), "eager message:0");
    EXPECT_EQ(text(lower(512, true, true, all)), "eager message:512 <message:0");
  }
}

TEST(lower, chooses_for_large_edges_by_what_is_known) {
  const std::string meet = "rendezvous message:0 <get:513 <message:0";
  const std::string copy = "single_copy message:0 <copy:513 <message:0";
  struct row {
    transfer_rules with;
    bool placed;
    bool acknowledged;
    std::string wanted;
  };
  const std::vector<row> rows{
      {rules(local, sync_mode::none), true, false, meet},
      {rules(local, sync_mode::none, true), true, false, meet},
      {rules(single, sync_mode::none), true, false, "signalling_put put:513"},
      {rules(single, sync_mode::all), true, false, "signalling_put put:513"},
      {rules(single, sync_mode::all), true, true, meet},
      {rules(single, sync_mode::all), false, false, meet},
      {rules(single, sync_mode::mine), true, false, meet},
      {rules(single, sync_mode::mine, true), true, false, copy},
      {rules(single, sync_mode::none, true), false, false, copy},
  };
  for (const row& each : rows) {
    EXPECT_EQ(text(lower(513, each.placed, each.acknowledged, each.with)), each.wanted);
  }
}

TEST(lower, forces_what_can_be) {
  const auto put = forced(rules(single, sync_mode::mine), mechanism::signalling_put);
  EXPECT_EQ(text(lower(9, true, false, put)), "signalling_put <message:0 put:9");
  EXPECT_TRUE(lower(9, true, false, put).asks_first());
  EXPECT_EQ(text(lower(9, false, false, put)), "eager message:9");
  const auto meet = forced(rules(local, sync_mode::mine), mechanism::rendezvous);
  EXPECT_EQ(text(lower(9, false, false, meet)), "rendezvous message:0 <get:9 <message:0");
  EXPECT_FALSE(lower(9, false, false, meet).asks_first());
  const auto eager = forced(rules(local, sync_mode::mine), mechanism::eager);
  EXPECT_EQ(lower(513, false, false, eager).how, mechanism::rendezvous);
  const auto copy = forced(rules(local, sync_mode::mine, true), mechanism::single_copy);
  EXPECT_EQ(lower(9, false, false, copy).how, mechanism::eager);
}

TEST(lower, sends_matched_edges_as_messages_and_fetches_large_ones) {
  const auto by_tag = forced(rules(local, sync_mode::mine), mechanism::matched);
  const wire small = lower(512, false, false, by_tag);
  EXPECT_EQ(small.how, mechanism::matched);
  EXPECT_EQ(small.all().size(), 1U);
  EXPECT_EQ(lower(512, false, true, by_tag).all().size(), 2U);
  EXPECT_EQ(lower(513, false, false, by_tag).how, mechanism::rendezvous);
}

TEST(lower, names_mechanisms_both_ways) {
  for (const auto each : {mechanism::eager, mechanism::signalling_put, mechanism::rendezvous,
                          mechanism::single_copy, mechanism::matched}) {
    EXPECT_EQ(upwash::mechanism_named(to_string(each)), each);
  }
  EXPECT_EQ(upwash::mechanism_named("nothing"), std::nullopt);
}
