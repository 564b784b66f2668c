// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operators that are objects with state, in every reduction and every form of its call.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/core/host.hpp"

namespace {

using namespace upwash;
using u64 = std::uint64_t;

/// x -> m x + c modulo `modulus`: applying one after the other does not commute.
struct affine {
  u64 m = 1;
  u64 c = 0;
  friend bool operator==(const affine&, const affine&) = default;
};
struct then_modulo {
  u64 modulus = 1;
  affine operator()(const affine& first, const affine& second) const {
    return {first.m * second.m % modulus, (first.c * second.m + second.c) % modulus};
  }
};

constexpr u64 modulus = 10'007;

affine of(int member, std::size_t i) {
  return {static_cast<u64>(member) + 2, static_cast<u64>(member) * 31 + i};
}
std::vector<affine> vector_of(int member, std::size_t count) {
  std::vector<affine> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = of(member, i);
  return made;
}

/// Members `first` to `behind` - 1, in their order.
affine combined(int first, int behind, std::size_t i) {
  affine all = of(first, i);
  for (int member = first + 1; member < behind; ++member) {
    all = then_modulo{modulus}(all, of(member, i));
  }
  return all;
}

void expect_combined(std::span<const affine> got, int behind, std::size_t first = 0) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], combined(0, behind, first + i)) << "item " << i;
  }
}

u64 joined(const u64& left, const u64& right) { return left + right; }

}  // namespace

JOB_TEST(operator_objects, keep_the_order_in_every_reduction) {
  const team& world = here.world();
  const then_modulo by{modulus};
  const auto p = static_cast<std::size_t>(here.size());
  for (const std::size_t count : {std::size_t{1}, std::size_t{40}, std::size_t{700}}) {
    const auto mine = vector_of(here.rank(), count);
    std::vector<affine> result(count);
    all_reduce(world, mine, result, by).wait();
    expect_combined(result, here.size());
    result = mine;
    all_reduce(world, blocking, in_place, result, by);
    expect_combined(result, here.size());
    reduce(world, blocking, here.size() - 1, mine, result, by);
    if (here.rank() + 1 == here.size()) expect_combined(result, here.size());
    result = mine;
    reduce(world, 0, in_place, result, by).wait();
    if (here.rank() == 0) expect_combined(result, here.size());
    scan(world, blocking, mine, result, by);
    expect_combined(result, here.rank() + 1);
    result = mine;
    exclusive_scan(world, in_place, result, by).wait();
    expect_combined(result, std::max(1, here.rank()));  // member 0 keeps what it has
    const auto blocks = vector_of(here.rank(), count * p);
    reduce_scatter(world, blocking, blocks, result, by);
    expect_combined(result, here.size(), static_cast<std::size_t>(here.rank()) * count);
    auto data = blocks;
    reduce_scatter(world, blocking, in_place, data, by);
    expect_combined(std::span(data).subspan(static_cast<std::size_t>(here.rank()) * count, count),
                    here.size(), static_cast<std::size_t>(here.rank()) * count);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// The object at the call may be gone, or another, long before the call is complete.
JOB_TEST(operator_objects, are_copied_at_the_call) {
  const team& world = here.world();
  const auto mine = vector_of(here.rank(), 300);
  std::array<std::vector<affine>, 4> results;
  std::vector<request> all;
  for (auto& result : results) {
    result.resize(mine.size());
    then_modulo by{modulus};
    all.push_back(all_reduce(world, mine, result, by));
    by.modulus = 2;
  }
  for (request& each : all) each.wait();
  for (const auto& result : results) expect_combined(result, here.size());
}

JOB_TEST(operator_objects, stay_with_what_is_started_often) {
  const team& world = here.world();
  const auto mine = vector_of(here.rank(), 3);
  std::vector<affine> result(3);
  const auto kept = [&] {
    const then_modulo by{modulus};
    return all_reduce(world, persist, mine, result, by);
  };
  auto often = kept();
  for (int turn = 0; turn < 150; ++turn) {
    std::fill(result.begin(), result.end(), affine{});
    if (turn % 2 == 0) {
      often.run();
    } else {
      often.start().wait();
    }
    expect_combined(result, here.size());
    if (testing::Test::HasFatalFailure()) return;
  }
}

JOB_TEST(operator_objects, are_lambdas_functions_and_named_ones) {
  const team& world = here.world();
  const auto p = static_cast<u64>(here.size());
  const u64 offset = 5;
  const auto shifted = [offset](u64 left, u64 right) { return left + right + offset; };
  EXPECT_EQ(all_reduce(world, blocking, u64{1}, commuting{shifted}), p + (p - 1) * offset);
  EXPECT_EQ(all_reduce(world, blocking, u64{1}, joined), p);
  EXPECT_EQ(all_reduce(world, blocking, u64{1}, sum{}), p);
  EXPECT_EQ(reduce(world, blocking, 0, u64{2}, &joined).value_or(2 * p), 2 * p);
  EXPECT_EQ(scan(world, blocking, u64{1}, shifted),
            1 + static_cast<u64>(here.rank()) * (1 + offset));
  EXPECT_EQ(exclusive_scan(world, blocking, u64{1}, joined).value_or(0),
            static_cast<u64>(here.rank()));
  const std::vector<u64> large{3, 4};
  const auto by_reference = [&large](u64 left, u64 right) { return left + right + large[0]; };
  EXPECT_EQ(all_reduce(world, blocking, u64{1}, by_reference), p + (p - 1) * 3);
}

/// Each combines by its own; what members differ in shows.
JOB_TEST(operator_objects, are_each_members_own, .most_ranks = 9) {
  u64 combined_here = 0;
  u64* const count = &combined_here;
  const auto counting = [count](u64 left, u64 right) {
    ++*count;
    return left + right;
  };
  const auto p = static_cast<u64>(here.size());
  EXPECT_EQ(all_reduce(here.world(), blocking, u64{1}, counting), p);
  const u64 all = all_reduce<sum>(here.world(), blocking, combined_here);
  const bool by_switches = host(here).endpoint().describe().network_collectives;
  EXPECT_GE(all, by_switches ? 0 : p - 1);
}

namespace {

struct no_mention {
  int operator()(int a, int b) const { return a + b; }
};
static_assert(!commutes<no_mention>());
static_assert(commutes<commuting<no_mention>>());
static_assert(!commutes<decltype(&joined)>());
static_assert(commutes<sum>());
static_assert(detail::operator_object<no_mention>);
static_assert(detail::operator_object<decltype(&joined)>);
static_assert(!detail::operator_object<collective_options>);
static_assert(!detail::operator_object<std::vector<int>>);

}  // namespace
