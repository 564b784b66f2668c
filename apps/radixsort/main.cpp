// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// radixsort: sorts random 64-bit keys on all ranks, with each algorithm, blocking and overlapped.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "apps/common/program.hpp"
#include "apps/radixsort/sort.hpp"
#include "upwash/base/random.hpp"
#include "upwash/upwash.hpp"

namespace {

struct options {
  std::uint64_t keys = 100000;
  int bits = 64;
  std::uint64_t seed = 1;
  std::vector<std::string> algorithms{"direct", "mesh2d"};
  int parts = 4;
  int repeats = 3;
  double key_ns = 30;
};

/// The exit status when the program should end here, else -1.
int read_options(const upwash::job& here, int argc, char** argv, options& chosen) {
  CLI::App app("Sorts random 64-bit keys by 16-bit digits", "radixsort");
  app.add_option("--keys", chosen.keys, "At each rank")->capture_default_str();
  app.add_option("--bits", chosen.bits, "Random ones of a key; the others are 0")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--seed", chosen.seed, "Of the keys")->capture_default_str();
  app.add_option("--algorithms", chosen.algorithms,
                 "Of the all-to-all, as direct,mesh2d (upwash schedule all_to_all_v lists them)")
      ->delimiter(',');
  app.add_option("--parts", chosen.parts, "Exchanges of a pass when overlapped; 1: only blocking")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--repeats", chosen.repeats, "Each variant in turn; the median is printed")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--key-ns", chosen.key_ns, "What a pass over a key costs a simulated processor")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  return apps::read_command_line(here, app, argc, argv);
}

std::vector<radixsort::key> random_keys(const options& chosen, int rank) {
  upwash::random_stream numbers(chosen.seed, static_cast<std::uint64_t>(rank));
  std::vector<radixsort::key> keys(chosen.keys);
  for (auto& each : keys) each = numbers.next() >> static_cast<unsigned>(64 - chosen.bits);
  return keys;
}

/// One way to sort, and what its runs took.
struct variant {
  std::string algorithm;
  int parts = 1;
  std::vector<radixsort::outcome> runs;  ///< slowest ranks
};

std::vector<variant> variants_of(const options& chosen) {
  std::vector<variant> all;
  for (const auto& algorithm : chosen.algorithms) {
    all.push_back({algorithm, 1, {}});
    if (chosen.parts > 1) all.push_back({algorithm, chosen.parts, {}});
  }
  return all;
}

/// Sorts fresh keys once; whether the result is right. Collective.
bool run_once(upwash::job& here, const options& chosen, variant& how) {
  auto keys = random_keys(chosen, here.rank());
  const auto before = radixsort::fingerprint_of(keys);
  const auto seen = radixsort::sort(here, keys, {how.algorithm, how.parts, chosen.key_ns});
  how.runs.push_back({apps::slowest(here, seen.time), apps::slowest(here, seen.exchanging)});
  return radixsort::verified(here, keys, before);
}

void print(variant& seen) {
  const auto middle = seen.runs.begin() + std::ssize(seen.runs) / 2;
  std::nth_element(seen.runs.begin(), middle, seen.runs.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  fmt::print("{}, {}: {:.3f} ms ({:.3f} in all-to-alls of keys; slowest rank, median of {})\n",
             seen.algorithm, seen.parts == 1 ? "blocking" : "overlapped", middle->time.us() / 1e3,
             middle->exchanging.us() / 1e3, seen.runs.size());
}

int run_rank(upwash::job& here, int argc, char** argv) {
  options chosen;
  const int early = read_options(here, argc, argv, chosen);
  if (early >= 0) return early;
  const auto most = UINT32_MAX / static_cast<std::uint64_t>(here.size());
  const auto prepare = [&] {
    if (chosen.keys <= most) return;
    throw upwash::error(upwash::error_kind::argument,
                        fmt::format("--keys {} at each of {} ranks; at most {} (2^32 - 1 in all)",
                                    chosen.keys, here.size(), most));
  };
  if (!apps::all_prepared(here, "radixsort", prepare)) return apps::bad_input;
  if (here.rank() == 0) {
    fmt::print("keys: {} of {} bits at each of {} ranks, about {} bytes a pair\n", chosen.keys,
               chosen.bits, here.size(),
               chosen.keys * sizeof(radixsort::key) / static_cast<std::uint64_t>(here.size()));
  }
  auto variants = variants_of(chosen);
  bool right = true;
  for (int i = 0; i < chosen.repeats; ++i) {
    for (auto& each : variants) right = run_once(here, chosen, each) && right;
  }
  if (here.rank() != 0) return right ? 0 : 1;
  for (auto& each : variants) print(each);
  fmt::print("verified: {}\n", right ? "yes" : "no");
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) { return run_rank(here, argc, argv); });
}
