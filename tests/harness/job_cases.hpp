// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the tests of a body on each conduit have in common.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/sanitized.hpp"
#include "upwash/conduit/world.hpp"
#include "upwash/runtime/run_on.hpp"

namespace upwash::test {

inline bool long_run() { return std::getenv("UPWASH_TEST_LONG") != nullptr; }

/// Under a sanitizer, or an emulator (scripts/test-aarch64), only some of what a conduit is tried
/// with: starting one process takes longer than most bodies, and the code is the same.
template <class T>
T sampled(T all, T some) {
  const bool slow = sanitized || std::getenv("UPWASH_TEST_FEW") != nullptr;
  return slow && !long_run() ? some : all;
}

/// With UPWASH_TEST_LONG all; else `usual`, or `some` where one run takes long.
inline std::vector<int> numbers_of_ranks(std::vector<int> all, std::vector<int> usual,
                                         std::vector<int> some) {
  return long_run() ? all : sampled(std::move(usual), std::move(some));
}

/// Up to which seed a number of ranks is tried: half as far with many ranks, since what few ranks
/// show costs less there, and what only many ranks show does not take many seeds.
inline std::uint64_t last_seed_for(int ranks, std::uint64_t last) {
  return ranks > 8 && !long_run() ? (last + 1) / 2 : last;
}

inline std::vector<int> in_range(const body_options& options, std::vector<int> ranks) {
  std::erase_if(ranks, [&](int n) { return n < options.least_ranks || n > options.most_ranks; });
  return ranks;
}

/// The same, but never none: then the number in range that is nearest to the first.
inline std::vector<int> some_in_range(const body_options& options, const std::vector<int>& ranks) {
  std::vector<int> left = in_range(options, ranks);
  if (left.empty()) left = {std::clamp(ranks.front(), options.least_ranks, options.most_ranks)};
  return left;
}

inline void run_in_world(conduit::world& world, const registered_body& entry) {
  try {
    run_on(world, {}, [&](job& here) { entry.body(here); });
  } catch (const std::exception& failure) {
    ADD_FAILURE() << failure.what();
  }
}

class body_case : public testing::Test {
 public:
  explicit body_case(const registered_body& entry) : entry_(entry) {}

 protected:
  const registered_body entry_;
};

/// Whether it runs on conduits that no option of its own names.
inline bool is_for_any_conduit(const registered_body& entry) {
  return entry.options.on_loopback && entry.options.on_sim && entry.options.on_shm;
}

}  // namespace upwash::test
