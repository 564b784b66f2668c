// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exchanges over grids on every conduit, with blocks below and above what travels eagerly.
#include <cstdint>
#include <span>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all_v.hpp"
#include "upwash/collective/executor.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using schedule::generator;

std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

/// Byte `i` of what one rank has for another.
std::byte byte_of(int from, int to, std::uint64_t i) {
  const auto pair = static_cast<std::uint64_t>(from) * 1000 + static_cast<std::uint64_t>(to);
  return static_cast<std::byte>(random_bits(5, pair, i) & 0xffU);
}

std::vector<std::byte> block_of(int from, int to, std::uint64_t bytes) {
  std::vector<std::byte> block(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) block[i] = byte_of(from, to, i);
  return block;
}

void append(std::vector<std::byte>& to, const std::vector<std::byte>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

JOB_TEST(mesh_exchange, brings_blocks_of_one_size) {
  for (const std::uint64_t bytes : {0, 1, 100, 7000}) {
    std::vector<std::byte> input;
    std::vector<std::byte> wanted;
    for (int other = 0; other < here.size(); ++other) {
      append(input, block_of(here.rank(), other, bytes));
      append(wanted, block_of(other, here.rank(), bytes));
    }
    for (const int dimensions : {1, 2, 3}) {
      std::vector<std::byte> output(wanted.size());
      const generator steps(mesh_all_to_all(here.size(), here.rank(), bytes, {dimensions}));
      execute(here.world(), steps, {.input = input, .output = output}).wait();
      ASSERT_TRUE(output == wanted) << bytes << " bytes, " << dimensions << "-D";
    }
  }
}

JOB_TEST(mesh_exchange, brings_blocks_of_any_sizes) {
  // Most pairs have little or nothing; some have more than a message takes at once.
  const auto length = [](int from, int to, std::uint64_t seed) -> std::uint64_t {
    const std::uint64_t draw =
        random_bits(seed, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to));
    return draw % 4 == 0 ? 0 : draw % 4 == 1 ? draw / 4 % 20'000 : draw / 4 % 50;
  };
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    std::vector<std::byte> input;
    std::vector<std::byte> wanted;
    std::vector<std::uint64_t> given[4];
    for (int other = 0; other < here.size(); ++other) {
      given[0].push_back(length(here.rank(), other, seed));
      given[1].push_back(input.size());
      given[2].push_back(length(other, here.rank(), seed));
      given[3].push_back(wanted.size());
      append(input, block_of(here.rank(), other, given[0][at(other)]));
      append(wanted, block_of(other, here.rank(), given[2][at(other)]));
    }
    for (const int dimensions : {1, 2, 3}) {
      for (const std::uint32_t room : {0U, 300U, 40'000U}) {
        std::vector<std::byte> output(wanted.size());
        const generator steps(mesh_all_to_all_v(here.size(), here.rank(), {dimensions, room}));
        execute(
            here.world(), steps,
            {.input = input, .output = output, .given = {given[0], given[1], given[2], given[3]}})
            .wait();
        ASSERT_TRUE(output == wanted) << "seed " << seed << ", " << dimensions << "-D, " << room;
      }
    }
  }
}
