// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random programs for stores: what is run, the oracle (a plain ordered vector, searched in order),
// and the shrinking of a program that fails.
#pragma once

#include <string>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/matching/store.hpp"

namespace upwash::matching::test {

/// A step names its entry by number (insert: its own; cancel: an earlier one).
struct step {
  enum class kind : std::uint8_t { insert, take, probe, cancel };
  kind what = kind::insert;
  envelope with;
  std::uint32_t number = 0;
};

/// How a random program is made.
struct mix {
  std::uint32_t steps = 2000;
  std::uint32_t sources = 8;
  std::uint32_t tags = 6;
  std::uint32_t contexts = 3;
  double wild = 0.1;    ///< share of wild sources, and of wild tags
  double growth = 0.5;  ///< share of inserts: above 0.5 the store fills
};

/// Wild fields are drawn on the side that may have them. Context 2 is a collective's.
std::vector<step> random_program(std::uint64_t seed, side which, const mix& how);

/// What each step found: the number of an entry, or -1.
using findings = std::vector<std::int64_t>;

findings run_oracle(const std::vector<step>& program);
findings run_store(const std::vector<step>& program, store& of);

/// Drops steps while `fails(program)` holds: none of the rest can be left out alone.
template <class Fails>
std::vector<step> shrink(std::vector<step> program, Fails fails) {
  for (std::size_t piece = program.size() / 2; piece > 0; piece /= 2) {
    for (std::size_t at = 0; at + piece <= program.size();) {
      std::vector<step> less = program;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(at),
                 less.begin() + static_cast<std::ptrdiff_t>(at + piece));
      if (fails(less)) {
        program = std::move(less);
      } else {
        at += piece;
      }
    }
  }
  return program;
}

std::string to_text(const std::vector<step>& program);

}  // namespace upwash::matching::test
