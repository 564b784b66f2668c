// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The executor on every conduit: each algorithm against an oracle, many in flight on overlapping
// teams, sizes below and above what travels eagerly.
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/collective/algorithms/all_reduces.hpp"
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/algorithms/broadcasts.hpp"
#include "upwash/collective/algorithms/scans.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/collective/reduction.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using schedule::generator;

/// x -> m x + c; applying one after the other does not commute.
struct affine {
  std::uint64_t m = 1;
  std::uint64_t c = 0;
  friend bool operator==(const affine&, const affine&) = default;
};

struct then {
  affine operator()(const affine& first, const affine& second) const {
    return {first.m * second.m, first.c * second.m + second.c};
  }
};

std::vector<std::uint64_t> vector_of(int rank, std::size_t elements) {
  std::vector<std::uint64_t> made(elements);
  std::iota(made.begin(), made.end(), static_cast<std::uint64_t>(rank) * 1'000'003);
  return made;
}

template <class T>
binding bind(const std::vector<T>& input, std::vector<T>& output, reduction combine = {}) {
  return {std::as_bytes(std::span(input)), std::as_writable_bytes(std::span(output)), combine};
}

request start_sum(const team& among, const std::vector<std::uint64_t>& mine,
                  std::vector<std::uint64_t>& sum) {
  return execute(among,
                 generator(ring_all_reduce(among.size(), among.rank(), mine.size(), 8, false)),
                 bind(mine, sum, reduction_of<std::uint64_t, upwash::sum>()));
}

std::vector<std::uint64_t> sum_over(const team& among, std::size_t elements) {
  std::vector<std::uint64_t> sum(elements);
  for (int member = 0; member < among.size(); ++member) {
    const auto one = vector_of(among.world_rank(member), elements);
    for (std::size_t i = 0; i < elements; ++i) sum[i] += one[i];
  }
  return sum;
}

}  // namespace

JOB_TEST(executor, all_reduce_of_any_size) {
  for (const std::size_t elements : {0, 1, 3, 8, 1000, 20'001}) {
    const auto mine = vector_of(here.rank(), elements);
    std::vector<std::uint64_t> sum(elements, 7);
    start_sum(here.world(), mine, sum).wait();
    ASSERT_EQ(sum, sum_over(here.world(), elements)) << elements << " elements";
  }
}

JOB_TEST(executor, broadcast_from_any_root) {
  for (const std::size_t elements : {0, 1, 5000}) {
    for (int root = 0; root < here.size(); root += 1 + here.size() / 3) {
      for (const int radix : {2, 4}) {
        for (const std::uint64_t segment : {0, 512, 8192}) {
          const auto mine = vector_of(here.rank(), elements);
          std::vector<std::uint64_t> got(elements, 7);
          execute(here.world(),
                  generator(tree_broadcast(here.size(), here.rank(), root, elements * 8,
                                           {model::knomial_tree(radix), segment}, false)),
                  bind(mine, got))
              .wait();
          ASSERT_EQ(got, vector_of(root, elements)) << "root " << root << ", radix " << radix;
        }
      }
    }
  }
}

JOB_TEST(executor, scan_keeps_the_order_of_ranks) {
  const auto of_rank = [](int rank) {
    return affine{static_cast<std::uint64_t>(rank) + 2, static_cast<std::uint64_t>(rank) * 5 + 1};
  };
  const std::vector<affine> mine(33, of_rank(here.rank()));
  std::vector<affine> prefix(33);
  execute(here.world(),
          generator(doubling_scan(here.size(), here.rank(), 33 * sizeof(affine), false)),
          bind(mine, prefix, reduction_of<affine, then>()))
      .wait();
  affine wanted = of_rank(0);
  for (int rank = 1; rank <= here.rank(); ++rank) wanted = then{}(wanted, of_rank(rank));
  for (const affine& each : prefix) ASSERT_EQ(each, wanted);
}

JOB_TEST(executor, barrier_separates_phases) {
  region area = allocate(here.world(), 8);
  for (std::uint64_t phase = 1; phase <= 10; ++phase) {
    fetch_add(here, area.at<std::uint64_t>(0), 1);
    execute(here.world(), generator(dissemination_barrier(here.size(), here.rank())), {}).wait();
    ASSERT_EQ(atomic_load(here, area.at<std::uint64_t>(0)),
              phase * static_cast<std::uint64_t>(here.size()));
    execute(here.world(), generator(dissemination_barrier(here.size(), here.rank())), {}).wait();
  }
  free(area);
}

JOB_TEST(executor, many_in_flight_on_overlapping_teams) {
  const team world = here.world();
  team half = world.split(here.rank() % 2, here.rank());
  constexpr std::size_t count = 12;
  std::vector<std::vector<std::uint64_t>> mine(count);
  std::vector<std::vector<std::uint64_t>> sums(count);
  std::vector<request> open;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t elements = i * 150;
    mine[i] = vector_of(here.rank(), elements);
    sums[i].resize(elements);
    open.push_back(start_sum(i % 2 == 0 ? world : half, mine[i], sums[i]));
  }
  // Waited for in the opposite order.
  for (std::size_t i = count; i-- > 0;) open[i].wait();
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(sums[i], sum_over(i % 2 == 0 ? world : half, i * 150)) << i;
  }
  half.release();
}
