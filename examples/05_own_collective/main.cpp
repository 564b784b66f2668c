// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A collective algorithm of the program's own: an all-reduce in which the vector goes once round
// the ring of ranks, combined on its way, and once more as the result. It is proven, priced and
// drawn as upwash's own are, and chosen by its name:
//   UPWASH_ALGORITHMS=all_reduce=once_round upwash run -n 4 05_own_collective
#include <cstdio>
#include <upwash/collective/validate.hpp>
#include <upwash/schedule/draw.hpp>
#include <upwash/schedule/price.hpp>
#include <upwash/upwash.hpp>
#include <vector>

namespace {

using namespace upwash::schedule;
using namespace upwash::collective;

steps once_round(script& out, int ranks, int rank, std::uint64_t bytes) {
  const piece own{buffer::input, 0, bytes};
  const piece result{buffer::output, 0, bytes};
  const int ahead = (rank + 1) % ranks;
  const int behind = (rank + ranks - 1) % ranks;
  mark ready = never;
  if (rank == 0) {
    ready = co_yield out.copy(own, result);
  } else {
    const mark came = co_yield out.receive(behind, 0, result);
    ready = co_yield out.reduce(result, own, result).after(came);
  }
  if (ranks == 1) co_return;
  if (rank + 1 != ranks) {
    const mark gone = co_yield out.send(ahead, 0, result).after(ready);
    ready = co_yield out.receive(behind, 1, result).after(gone);  // it overwrites what is sent
  }
  // The last rank combined last, and has the result first.
  if (rank + 2 != ranks) co_yield out.send(ahead, 1, result).after(ready);
}

generator make(const problem& call, const upwash::model::values& /*parameters*/, int rank) {
  return generator({.window = 2, .edges_apart = true},
                   [ranks = call.ranks, rank, bytes = call.bytes](script& out) {
                     return once_round(out, ranks, rank, bytes);
                   });
}

std::string objection(const problem& call, const upwash::model::values& /*parameters*/) {
  return call.in_place ? "once_round is not in place" : "";
}

const algorithm row{
    .of = kind::all_reduce,
    .is = {.name = "once_round", .parameters = {}, .doc = "once round, and back", .source = ""},
    .make = &make,
    .objection = &objection};

/// What can be said before any rank runs.
void report() {
  const problem call{.of = kind::all_reduce, .ranks = 5, .bytes = 24, .element_bytes = 8};
  const selection one{&row};
  const auto schedule_of = [&](int rank) { return one.schedule_of(call, rank); };
  const auto took = price(call.ranks, schedule_of, upwash::load_machine("laptop"), {}).completion;
  const std::string svg = draw_svg({.title = "once round", .ranks = 5, .rules = {}}, schedule_of);
  std::printf("%s, %s, %s\n", validate(one, call).empty() ? "proven" : "wrong",
              took > upwash::duration() ? "priced" : "free", svg.empty() ? "not drawn" : "drawn");
}

}  // namespace

int main(int argc, char** argv) {
  const auto with_own = [](registry& all) { all.add(row); };
  const auto ranks = [](upwash::job& job) {
    if (job.rank() == 0) report();
    const std::vector<double> mine(3, job.rank() + 1.0);
    std::vector<double> sums(3);
    upwash::all_reduce<upwash::sum>(job.world(), upwash::blocking, mine, std::span(sums));
    if (job.rank() == 0) std::printf("sum %.0f\n", sums[0]);
  };
  return upwash::run(argc, argv, ranks, {.add_algorithms = with_own});
}
