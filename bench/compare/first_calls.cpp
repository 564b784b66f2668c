// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the first all-reduce of a size takes, in processor time, beside the next one:
//
//   ninja first_calls && upwash run -n 16 first_calls
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <span>
#include <vector>

#include "upwash/core/control.hpp"
#include "upwash/upwash.hpp"

namespace {

using namespace upwash;

double processor_us() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

double us_of_a_sum(const team& world, std::span<const double> in, std::span<double> out) {
  const double begin = processor_us();
  all_reduce<sum>(world, blocking, in, out);
  return processor_us() - begin;
}

void measure(job& here, std::size_t count) {
  const team world = here.world();
  const std::vector<double> in(count);
  std::vector<double> out(count);
  control::barrier(world);
  const double first = us_of_a_sum(world, in, out);
  const std::array<double, 2> mine{first, us_of_a_sum(world, in, out)};
  std::vector<std::array<double, 2>> all(static_cast<std::size_t>(here.size()));
  control::all_gather_values(world, mine, std::span(all));
  if (here.rank() != 0) return;
  std::array<double, 2> mean{};
  double longest = 0;
  for (const auto& [of_first, of_next] : all) {
    mean[0] += of_first / here.size();
    mean[1] += of_next / here.size();
    longest = std::max(longest, of_first);
  }
  std::printf("%8zu %10.0f %10.0f %10.0f\n", count * sizeof(double), mean[0], longest, mean[1]);
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv, [](job& here) {
    if (here.rank() == 0)
      std::printf("%8s %10s %10s %10s\n", "bytes", "first, us", "longest", "next");
    for (std::size_t count = 1; count <= 65536; count *= 8) measure(here, count);
  });
}
