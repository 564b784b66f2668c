// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What upwash on conduit ucx adds to bare UCP, in one run, sample by sample in turn:
//   upwash run -n 2 --conduit ucx over_ucx [SAMPLES]
// Each line: the medians, the median of the ratios of neighbouring samples, and the ratio of the
// lower quartiles, for machines that others use too. UCX_TLS=tcp,self for TCP.
#include <upwash/upwash.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <vector>

#include "bench/compare/bare_ucp.hpp"
#include "upwash/core/host.hpp"

namespace {

using namespace upwash;
using compare::bare_ucp;

/// What one side does so often; its own part of what is measured.
using work = std::function<void(long count)>;

std::vector<std::byte> swap_with_peer(const team& world, std::span<const std::byte> mine) {
  std::vector<std::byte> padded(4096);
  std::copy(mine.begin(), mine.end(), padded.begin());
  std::vector<std::byte> all(2 * padded.size());
  control::all_gather(world, padded, all);
  const auto at = all.begin() + (world.rank() == 0 ? 4096 : 0);
  return {at, at + 4096};
}

/// What so much of all is less than.
double quantile(std::vector<double> of, double part) {
  const auto at = static_cast<std::ptrdiff_t>(part * static_cast<double>(of.size() - 1));
  std::nth_element(of.begin(), of.begin() + at, of.end());
  return of[static_cast<std::size_t>(at)];
}

class side_by_side {
 public:
  side_by_side(job& here, int samples) : here_(here), samples_(samples) {}

  /// `trips`: how many one-way trips a unit of work is.
  void line(const char* what, std::size_t bytes, int trips, const work& ours, const work& bare) {
    const long count = std::max(1L, static_cast<long>(2e6 / std::max(ns_of(bare, 200), 1.0)));
    ns_of(ours, count);
    std::vector<double> with;
    std::vector<double> without;
    std::vector<double> ratios;
    for (int i = 0; i < samples_; ++i) {
      with.push_back(ns_of(ours, count) / trips);
      without.push_back(ns_of(bare, count) / trips);
      ratios.push_back(with.back() / without.back());
    }
    if (here_.rank() != 0) return;
    std::printf("%-12s %8zu %12.1f %12.1f %8.2f %8.2f\n", what, bytes, quantile(with, 0.5),
                quantile(without, 0.5), quantile(ratios, 0.5),
                quantile(with, 0.25) / quantile(without, 0.25));
    std::fflush(stdout);
  }

 private:
  /// A unit of work, as rank 0 sees it.
  double ns_of(const work& one, long count) {
    control::barrier(here_.world());
    const duration start = here_.now();
    one(count);
    const double ns = (here_.now() - start).ns() / static_cast<double>(count);
    control::barrier(here_.world());
    std::array<double, 2> both{};
    control::all_gather_values(here_.world(), ns, std::span<double>(both));
    return both[0];
  }

  job& here_;
  const int samples_;
};

struct tally final : service_base {
  explicit tally(job& /*here*/) {}
  std::uint64_t arrived = 0;
};
void count_message(incoming& /*in*/, tally* where) { ++where->arrived; }

/// Turn and turn about: rank 0 begins.
template <class Send, class Await>
work ping_pong(int rank, Send send, Await await) {
  return [=](long count) {
    for (long i = 0; i < count; ++i) {
      if (rank == 0) send();
      await();
      if (rank == 1) send();
    }
  };
}

/// Only rank 0 does it; the other side serves meanwhile, in the barrier that follows.
template <class Do>
work by_first(int rank, Do one) {
  return [=](long count) {
    for (long i = 0; rank == 0 && i < count; ++i) one();
  };
}

/// The same on bare UCP, which nothing serves but its own progress: until a message says that all
/// is done.
template <class Do>
work by_first(int rank, bare_ucp& bare, Do one) {
  return [=, &bare](long count) {
    if (rank == 0) {
      for (long i = 0; i < count; ++i) one();
      return bare.send_message({});
    }
    const std::uint64_t last = bare.messages() + 1;
    while (bare.messages() < last) bare.progress();
  };
}

void messages(job& here, side_by_side& all, bare_ucp& bare) {
  const int peer = 1 - here.rank();
  tally& mine = here.service<tally>();
  std::array<tally*, 2> both{};
  control::all_gather_values(here.world(), &mine, std::span<tally*>(both));
  tally* const there = both[static_cast<std::size_t>(peer)];
  std::uint64_t seen = 0;
  std::uint64_t seen_bare = 0;
  const std::vector<std::byte> payload(8);
  all.line("message", 8, 2,
           ping_pong(
               here.rank(), [&] { send<&count_message>(here, peer, there); },
               [&] {
                 host(here).wait(conduit::wait_target::word(
                                     mine.arrived, conduit::comparison::greater_equal, ++seen),
                                 {.operation = "over_ucx"});
               }),
           ping_pong(
               here.rank(), [&] { bare.send_message(payload); },
               [&] {
                 ++seen_bare;
                 while (bare.messages() < seen_bare) bare.progress();
               }));
}

void tagged(job& here, side_by_side& all, bare_ucp& bare, std::size_t bytes) {
  const int peer = 1 - here.rank();
  std::vector<std::byte> out(bytes);
  std::vector<std::byte> in(bytes);
  all.line("tagged", bytes, 2,
           ping_pong(
               here.rank(), [&] { matching::send(here.world(), peer, 7, out).wait(); },
               [&] { matching::receive(here.world(), peer, 7, in).wait(); }),
           ping_pong(
               here.rank(), [&] { bare.send(out); }, [&] { bare.receive(in); }));
}

void memory(job& here, side_by_side& all, bare_ucp& bare, std::size_t bytes) {
  region area = allocate(here.world(), bytes);
  const auto target = area.at(1);
  std::vector<std::byte> buffer(bytes);
  all.line("put", bytes, 1, by_first(here.rank(), [&] { put(here, target, buffer).wait(); }),
           by_first(here.rank(), bare, [&] { bare.put(buffer); }));
  all.line("get", bytes, 1, by_first(here.rank(), [&] { get(here, target, buffer).wait(); }),
           by_first(here.rank(), bare, [&] { bare.get(buffer); }));
  if (bytes == 8) {
    const auto word = area.at<std::uint64_t>(1);
    all.line("fetch-add", bytes, 1,
             by_first(here.rank(), [&] { static_cast<void>(fetch_add(here, word, 1)); }),
             by_first(here.rank(), bare, [&] { bare.fetch_add(1); }));
  }
  free(area);
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv, [&](job& here) {
    if (here.size() != 2)
      throw std::runtime_error("over_ucx: 2 ranks are needed (upwash run -n 2)");
    const team world = here.world();
    const auto swap = [&](std::span<const std::byte> mine) { return swap_with_peer(world, mine); };
    bare_ucp bare(swap, std::size_t{1} << 20U);
    side_by_side all(here, argc > 1 ? std::atoi(argv[1]) : 201);
    if (here.rank() == 0) {
      std::printf("%-12s %8s %12s %12s %8s %8s\n", "ns", "bytes", "upwash", "UCP", "ratio",
                  "quiet");
    }
    messages(here, all, bare);
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{65536}}) {
      tagged(here, all, bare, bytes);
      memory(here, all, bare, bytes);
    }
  });
}
