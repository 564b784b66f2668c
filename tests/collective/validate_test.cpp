// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The definition of every collective, by which each algorithm of the table is proven, with all
// values that it tries, in both kinds of calls; and that it refuses what is wrong.
#include "upwash/collective/validate.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/sanitized.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/candidates.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;

bool known_before_a_run(kind of) {
  return !is_uneven(of) && of != kind::all_to_all_v && of != kind::many_to_many &&
         of != kind::many_to_many_multicast;
}

/// How many there were.
std::size_t prove_all(const registry& all, problem call) {
  std::size_t proven = 0;
  for (const selection& each : candidates(all, call)) {
    ++proven;
    const std::string wrong = validate(each, call, proven);
    EXPECT_EQ(wrong, "") << to_string(call.of) << " by " << text_of(each) << ", " << call.ranks
                         << " ranks, " << call.bytes << " bytes, root " << call.root
                         << (call.in_place ? ", in place" : "")
                         << (call.commutative ? "" : ", in order");
  }
  return proven;
}

}  // namespace

TEST(definition, holds_for_all_algorithms) {
  registry all;
  add_algorithms(all);
  for (const std::string_view name : kind_names()) {
    const kind of = kind_named(name);
    if (!known_before_a_run(of)) continue;
    std::size_t proven = 0;
    for (const int ranks : {1, 2, 3, 4, 6, 9}) {
      for (const std::uint64_t bytes : {0, 12, 100}) {
        for (int variant = 0; variant < (test::sanitized ? 2 : 4); ++variant) {
          problem call{.of = of, .ranks = ranks, .bytes = bytes, .element_bytes = 4};
          if (is_rooted(of) || of == kind::broadcast) call.root = variant % ranks;
          call.in_place = variant % 2 == 1;
          call.commutative = variant < 2;
          call.direct_access = true;
          proven += prove_all(all, call);
          if (HasFailure()) return;
        }
      }
    }
    EXPECT_GT(proven, 30U) << name;
  }
}

namespace {

schedule::steps copies_only(schedule::script& out, std::uint64_t bytes) {
  co_yield out.copy({schedule::buffer::input, 0, bytes}, {schedule::buffer::output, 0, bytes});
}

const algorithm lazy{
    .of = kind::all_reduce,
    .is = {.name = "lazy", .parameters = {}, .doc = "forgets the others", .source = "this test"},
    .make = [](const problem& call, const model::values&, int /*rank*/) {
      return schedule::generator(
          {}, [bytes = call.bytes](schedule::script& out) { return copies_only(out, bytes); });
    }};

}  // namespace

TEST(definition, does_not_hold_for_one_that_forgets_the_others) {
  problem call{.of = kind::all_reduce, .ranks = 1, .bytes = 8, .element_bytes = 4};
  EXPECT_EQ(validate({&lazy}, call), "") << "alone it is right";
  call.ranks = 2;
  EXPECT_NE(validate({&lazy}, call), "");
}

TEST(definition, is_not_there_for_lengths_of_a_run) {
  registry all;
  add_algorithms(all);
  const problem call{.of = kind::all_gather_v, .ranks = 2, .bytes = 8};
  try {
    static_cast<void>(validate({all.of(kind::all_gather_v).front()}, call));
    FAIL() << "it was taken";
  } catch (const error& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("schedule::validate"), std::string::npos)
        << refusal.what();
  }
}
