// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The definition of every collective, by which each algorithm of the table is proven, with all
// values that it tries, in both kinds of calls; and that it refuses what is wrong.
#include "upwash/collective/validate.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/collective/node_maps.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/candidates.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;

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
    std::size_t proven = 0;
    for (const int ranks : {1, 2, 3, 4, 6, 9}) {
      for (const std::uint64_t bytes : {0, 12, 100}) {
        for (int variant = 0; variant < (test::sanitized ? 2 : 4); ++variant) {
          problem call{.of = of, .ranks = ranks, .bytes = bytes, .element_bytes = 4};
          if (is_rooted(of) || of == kind::broadcast) call.root = variant % ranks;
          const bool any = of.facts().told == lengths::equal || of == kind::all_gather_v;
          call.in_place = any && variant % 2 == 1;
          call.commutative = variant < 2;
          call.known_senders = variant % 2 == 1;
          call.direct_access = true;
          call.nodes = test::blocks_of_nodes(ranks, 2);
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

namespace {

/// What a wrong algorithm starts from.
const algorithm*& right_one() {
  static const algorithm* one = nullptr;
  return one;
}

schedule::generator nothing(const problem& /*call*/, const model::values& /*with*/, int /*rank*/) {
  return schedule::generator({}, [](schedule::script& /*out*/) -> schedule::steps { co_return; });
}

/// The last two ranks do each other's part.
schedule::generator swapped(const problem& call, const model::values& with, int rank) {
  const int other = rank < call.ranks - 2 ? rank : 2 * call.ranks - 3 - rank;
  return right_one()->make(call, with, other);
}

/// The last rank is taken for none of the team.
schedule::generator fewer(const problem& call, const model::values& with, int rank) {
  problem other = call;
  --other.ranks;
  return right_one()->make(other, with, rank % other.ranks);
}

/// Elements are taken for others, half as long.
schedule::generator halved(const problem& call, const model::values& with, int rank) {
  problem other = call;
  other.element_bytes /= 2;
  return right_one()->make(other, with, rank);
}

/// The first complaint of ten draws.
std::string complaint_of(const selection& one, const problem& call) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    try {
      std::string wrong = validate(one, call, seed);
      if (!wrong.empty()) return wrong;
    } catch (const error& refused) {  // the schedule itself sees that its facts do not fit
      return refused.what();
    }
  }
  return {};
}

void expect_refused(const algorithm& row, const problem& call,
                    schedule::generator (*make)(const problem&, const model::values&, int),
                    const char* how) {
  right_one() = &row;
  algorithm wrong = row;
  wrong.make = make;
  selection one{&row, model::initial_values(row.is)};
  EXPECT_EQ(complaint_of(one, call), "") << to_string(row.of) << " by " << row.is.name;
  one.chosen = &wrong;
  EXPECT_NE(complaint_of(one, call), "")
      << to_string(row.of) << " by " << row.is.name << ", " << how;
}

}  // namespace

TEST(definition, of_lengths_of_a_run_refuses_wrong_algorithms) {
  registry all;
  add_algorithms(all);
  std::size_t families = 0;
  for (const std::string_view name : kind_names()) {
    const kind of = kind_named(name);
    if (of.facts().told == lengths::equal) continue;
    ++families;
    for (const algorithm* row : all.of(of)) {
      problem call{.of = of, .ranks = 4, .bytes = 24, .element_bytes = 4};
      call.root = is_rooted(of) ? 1 : 0;
      const auto objects = [&] {
        return !registry::objection({row, model::initial_values(row->is)}, call).empty();
      };
      call.known_senders = objects();
      if (objects()) {  // it goes by levels
        call.known_senders = false;
        call.nodes = test::blocks_of_nodes(call.ranks, 2);
        call.ranks_per_node = 2;
      }
      expect_refused(*row, call, &nothing, "which does nothing");
      // Who sends to whom is told by the facts alone, whichever the rank.
      if (of.facts().knows_senders) {
        expect_refused(*row, call, &swapped, "where two ranks are confused");
      }
      expect_refused(*row, call, &fewer, "where a rank is forgotten");
      if (of.facts().told == lengths::counted) {
        expect_refused(*row, call, &halved, "where elements are too short");
      }
    }
  }
  EXPECT_EQ(families, 7U);
  const problem none{.of = kind::gather_v, .ranks = 2, .bytes = 8, .in_place = true};
  EXPECT_THROW(static_cast<void>(validate({all.of(kind::gather_v).front()}, none)), error);
}

namespace {

constexpr family drawn_by_nobody{.name = "drawn_by_nobody", .told = lengths::apart};

}  // namespace

TEST(definition, is_not_there_for_lengths_of_a_family_of_ones_own) {
  algorithm own = lazy;
  own.of = kind(drawn_by_nobody);
  const problem call{.of = own.of, .ranks = 2, .bytes = 8};
  try {
    static_cast<void>(validate({&own}, call));
    FAIL() << "it was taken";
  } catch (const error& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("schedule::validate"), std::string::npos)
        << refusal.what();
  }
}
