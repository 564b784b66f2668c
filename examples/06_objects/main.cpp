// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Walkers that move from rank to rank and count who calls them: they are called by index, wherever
// they are.
#include <cstdio>
#include <numeric>
#include <upwash/objects/object_array.hpp>
#include <upwash/upwash.hpp>
#include <vector>

struct walker : upwash::object<int> {
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(steps);
  }

  /// Goes on to the next rank, and sends the next walker the same way.
  void step(int times, int ranks) {
    ++steps;
    const upwash::object_view<walker> all(*this);
    if (times > 1) all[(index() + 1) % 100].send<&walker::step>(times - 1, ranks);
    migrate_to((member() + 1) % ranks);
  }

  int steps = 0;
};

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [](upwash::job& job) {
    const upwash::team& world = job.world();
    upwash::object_array<walker> walkers(world);
    std::vector<int> numbers(100);
    std::iota(numbers.begin(), numbers.end(), 0);
    walkers.fill(numbers);

    walkers[job.rank()].send<&walker::step>(1000, job.size());
    walkers.quiet();

    int steps = 0;
    walkers.for_each_here([&](walker& one) { steps += one.steps; });
    const int total = upwash::all_reduce<upwash::sum>(world, upwash::blocking, steps);
    if (job.rank() == 0) std::printf("%d steps of %d ranks\n", total, job.size());
  });
}
