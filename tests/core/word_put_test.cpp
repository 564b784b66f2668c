// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A put of a word is one store, whether the sender, the conduit or the owner stores it. A second
// store would overwrite the answer of a rank that has seen the first.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/store_log.hpp"

namespace {

using namespace upwash;
using test::store_log;

/// The part of a region that is one whole page, and whether rank 1 stores to it directly.
struct watched_page {
  std::size_t offset = 0;
  bool direct = false;
};

watched_page agree_on_page(job& here, region& area) {
  constexpr std::size_t page = store_log::page_bytes;
  auto mine = area.mine_as<std::uint64_t>();
  const auto start = reinterpret_cast<std::uintptr_t>(mine.data()) + 2 * sizeof(std::uint64_t);
  if (here.rank() == 0) mine[0] = (start + page - 1) / page * page - start + 16;
  control::barrier(here.world());
  watched_page found;
  found.offset = get_value(here, area.at<std::uint64_t>(0));
  const bool direct = local(here, area.at<std::byte>(0, 0)) != nullptr;
  if (here.rank() == 1) put_value(here, area.at<std::uint64_t>(0, 8), std::uint64_t{direct});
  control::barrier(here.world());
  found.direct = get_value(here, area.at<std::uint64_t>(0, 8)) != 0;
  return found;
}

/// Rank 1 puts `bytes` bytes to offset `at` of the page; returns the offsets of the stores that
/// this rank has seen.
std::vector<std::size_t> stores_of_put(job& here, region& area, const watched_page& page,
                                       std::size_t at, std::size_t bytes) {
  const std::array<std::byte, 64> from{std::byte{1}};
  const bool writer = here.rank() == 1;
  const bool logs = here.rank() == (page.direct ? 1 : 0);
  const auto put_bytes = [&] {
    put(here, area.at<std::byte>(0, page.offset + at), std::span(from).first(bytes)).wait();
  };
  std::vector<std::size_t> seen;
  if (logs && writer) {
    std::byte* start = local(here, area.at<std::byte>(0, page.offset));
    store_log log({start, store_log::page_bytes});
    put_bytes();
    seen = log.stop();
  } else if (logs) {
    store_log log(area.mine().subspan(page.offset, store_log::page_bytes));
    control::barrier(here.world());
    control::barrier(here.world());
    return log.stop();
  }
  control::barrier(here.world());
  if (writer && !logs) put_bytes();
  control::barrier(here.world());
  return seen;
}

}  // namespace

JOB_TEST(word_put, is_one_store, .least_ranks = 2) {
  if (!test::stores_can_be_recorded) return;
  region area = allocate(here.world(), 3 * store_log::page_bytes);
  const watched_page page = agree_on_page(here, area);
  for (const std::size_t bytes : {1U, 4U, 8U}) {
    const auto seen = stores_of_put(here, area, page, 24, bytes);
    // None where another process stores to its own mapping of the page.
    if (seen.empty()) continue;
    EXPECT_EQ(seen, std::vector<std::size_t>{24}) << bytes << " bytes";
  }
  free(area);
}

// Also of 2 bytes. Not promised where UCX stores the bytes.
JOB_TEST(word_put, of_a_cache_line_stores_each_word_once, .least_ranks = 2, .most_ranks = 3,
         .on_sim = false) {
  if (!test::stores_can_be_recorded) return;
  region area = allocate(here.world(), 3 * store_log::page_bytes);
  const watched_page page = agree_on_page(here, area);
  for (const std::size_t bytes : {2U, 12U, 16U, 40U, 64U}) {
    const auto seen = stores_of_put(here, area, page, 64, bytes);
    if (seen.empty()) continue;
    EXPECT_EQ(seen.size(), bytes / 16 + (bytes % 16 + 7) / 8) << bytes << " bytes";
  }
  free(area);
}
