// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an object costs beside its state: a million of them are to fit into a gibibyte.
#include <unistd.h>

#include <fstream>

#include "tests/harness/job_test.hpp"
#include "tests/sanitized.hpp"
#include "upwash/core/control.hpp"
#include "upwash/objects/object_array.hpp"

namespace {

using namespace upwash;

struct small : object<int> {
  using object::object;
  template <class A>
  void serialize(A& archive) {
    archive(value);
  }
  double value = 0;
};

/// Of this process.
double resident_bytes() {
  std::ifstream pages("/proc/self/statm");
  double all = 0;
  double resident = 0;
  pages >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

JOB_TEST(object_memory, a_million_take_less_than_a_gibibyte, .most_ranks = 2, .on_sim = false,
         .on_direct = false, .on_loopback = false, .on_composite = false, .shares_process = false) {
  constexpr std::uint64_t count = 400'000;
  const double before = resident_bytes();
  object_array<small> all(here.world());
  all.fill(all_indices<int>({count}));
  control::barrier(here.world());  // homes know all by now
  const double each = (resident_bytes() - before) / static_cast<double>(all.size_here());
  EXPECT_GT(each, sizeof(small));
  if (!test::sanitized) {
    EXPECT_LT(each * 1e6, 1 << 30U) << each << " bytes an object";
  }
}

}  // namespace
