// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/spmm/timing.hpp"

#include "apps/common/program.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/core/control.hpp"

namespace spmm {
namespace {

upwash::duration time_of(upwash::job& here, upwash::function_ref<void()> work) {
  const auto start = here.now();
  work();
  return here.now() - start;
}

void run_once(upwash::job& here, timed_product& one) {
  upwash::duration gather;
  upwash::duration multiply;
  for (int step = 0; step < one.is->steps(); ++step) {
    upwash::control::barrier(here.world());
    const auto came = time_of(here, [&] { one.is->gather(step); });
    const auto done = time_of(here, [&] { one.is->multiply(step); });
    gather += apps::slowest(here, came);
    multiply += apps::slowest(here, done);
  }
  one.took.gather.push_back(gather);
  one.took.multiply.push_back(multiply);
}

}  // namespace

std::vector<timed_product> make_products(upwash::job& here, const sparse::coordinate_matrix& matrix,
                                         const right_side& with,
                                         std::span<const std::string> exchanges) {
  std::vector<timed_product> all;
  for (const std::string& each : exchanges) {
    timed_product& one = all.emplace_back();
    upwash::control::barrier(here.world());
    const auto took = time_of(here, [&] {
      one.is = make_product(here, matrix, with, each);
      one.is->gather(0);
    });
    one.took.first = apps::slowest(here, took);
  }
  return all;
}

void run_in_turn(upwash::job& here, std::span<timed_product> all, int repeats) {
  for (int turn = 0; turn < repeats; ++turn) {
    for (timed_product& each : all) run_once(here, each);
  }
}

}  // namespace spmm
