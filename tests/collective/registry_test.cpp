// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "upwash/base/error.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/schedule/count.hpp"

namespace {

using namespace upwash::collective;

registry filled() {
  registry all;
  add_algorithms(all);
  return all;
}

std::string refusal(kind of, std::string_view text) {
  try {
    (void)filled().named(of, text);
  } catch (const upwash::error& wrong) {
    return wrong.what();
  }
  return "accepted";
}

}  // namespace

TEST(registry, names_every_kind_both_ways) {
  for (const kind each : own_kinds()) EXPECT_EQ(kind_named(to_string(each)), each);
  EXPECT_THROW((void)kind_named("brodcast"), upwash::error);
}

TEST(registry, describes_every_algorithm_once_in_a_kind) {
  const registry all = filled();
  for (const kind each : own_kinds()) {
    std::set<std::string_view> names;
    for (const algorithm* one : all.of(each)) {
      EXPECT_TRUE(names.insert(one->is.name).second) << one->is.name;
      EXPECT_NE(one->is.doc, "");
      EXPECT_NE(one->is.source, "");
      EXPECT_NE(one->make, nullptr);
      for (const auto& p : one->is.parameters) {
        EXPECT_TRUE(p.least <= p.initial && p.initial <= p.most) << one->is.name << " " << p.name;
      }
    }
  }
}

TEST(registry, makes_schedules_of_named_choices) {
  const registry all = filled();
  problem call;
  call.of = kind::broadcast;
  call.ranks = 9;
  call.bytes = 10;
  const selection flat = all.named(kind::broadcast, "knomial:k=9,segment=5");
  EXPECT_EQ(upwash::schedule::count(flat.schedule_of(call, 0)).messages_sent, 16U);
  EXPECT_EQ(registry::objection(flat, call), "");
}

TEST(registry, names_what_is_known_and_near) {
  EXPECT_NE(refusal(kind::broadcast, "knomal").find("did you mean knomial?"), std::string::npos);
  EXPECT_NE(refusal(kind::broadcast, "knomial:k=1").find("k=1 is not in 2"), std::string::npos);
}

TEST(registry, objects_where_a_requirement_is_not_met) {
  const registry all = filled();
  problem call;
  call.of = kind::all_reduce;
  call.ranks = 6;
  const selection ring = all.named(kind::all_reduce, "ring");
  EXPECT_EQ(registry::objection(ring, call), "");
  call.commutative = false;
  EXPECT_EQ(registry::objection(ring, call), "ring needs a commutative operator");
  algorithm fussy = *ring.chosen;
  fussy.is.requirements = upwash::model::needs_power_of_two;
  EXPECT_EQ(registry::objection({&fussy, {}}, call),
            "ring needs a number of ranks that is a power of two");
  EXPECT_EQ(registry::requirements_of(fussy), "a number of ranks that is a power of two");
}
