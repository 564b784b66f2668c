// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Findings for tests: made up, and drawn from a seed.
#pragma once

#include <string>

#include "upwash/base/random.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/tuning/tuning_file.hpp"

namespace upwash::tests {

inline const tuning::origin here{"a machine", "shm"};

inline collective::registry all_algorithms() {
  collective::registry all;
  collective::add_algorithms(all);
  return all;
}

inline tuning::finding all_to_all_finding(int ranks, std::uint64_t bytes) {
  tuning::finding one;
  one.at.what = collective::kind::all_to_all;
  one.at.ranks = ranks;
  one.at.ranks_per_node = ranks;
  one.at.bytes = bytes;
  one.seconds = 1.5;
  one.candidates = 20;
  one.results = {{"bruck:k=2", 5, 100, 900.25}, {"direct", 7, 100, 1200}};
  return one;
}

inline tuning::finding random_finding(random_stream& from) {
  constexpr const char* names[] = {"bruck:k=2", "direct", "mesh2d", "mesh3d", "pairwise"};
  tuning::finding one = all_to_all_finding(1 << from.below(4), std::uint64_t{8} << from.below(5));
  one.at.where = static_cast<tuning::placement>(from.below(4));
  one.seconds = static_cast<double>(from.below(100)) / 8;
  one.candidates = static_cast<std::uint32_t>(from.below(40));
  one.results.clear();
  for (const char* name : names) {
    if (from.below(2) == 0) continue;
    one.results.push_back({name, static_cast<std::uint32_t>(1 + from.below(4)),
                           static_cast<std::int64_t>(from.below(3)),
                           static_cast<double>(from.below(1000)) / 3});
  }
  return one;
}

inline tuning::stream_note random_note(random_stream& from) {
  tuning::stream_note one;
  one.kind = {from.below(2) == 0 ? "" : "updates", 1 << from.below(4), 1, 8 * from.below(3)};
  one.found.seen = {static_cast<double>(from.below(1000)), static_cast<double>(from.below(100)) / 4,
                    static_cast<double>(from.below(16)), static_cast<double>(from.below(64)) / 64};
  one.found.dimensions = static_cast<int>(1 + from.below(3));
  one.found.effective_bytes = 256U << from.below(6);
  one.when = static_cast<std::int64_t>(from.below(3));
  return one;
}

inline tuning::stream_note updates_note(int ranks) {
  return {{"updates", ranks, 4, 16}, {{1000.5, 20, 63, 0.25}, 2, 4096}, 100};
}

inline tuning::price_note random_price(random_stream& from) {
  tuning::price_note one{from.below(2), "broadcast", {from.below(4), ~from.below(2)}, {}};
  one.candidates.push_back(
      {"chain:segment=1024,eager=0", static_cast<std::int64_t>(from.below(3))});
  if (from.below(2) == 0) one.candidates.push_back({"flat", std::nullopt});
  return one;
}

inline tuning::knowledge random_knowledge(random_stream& from) {
  tuning::knowledge known;
  for (std::uint64_t i = from.below(5); i > 0; --i) known.add(random_price(from));
  for (std::uint64_t i = from.below(5); i > 0; --i) known.add(random_note(from));
  for (std::uint64_t i = from.below(8); i > 0; --i) known.add(random_finding(from));
  return known;
}

}  // namespace upwash::tests
