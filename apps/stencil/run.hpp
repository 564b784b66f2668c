// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Steps of the stencil on all ranks by several exchanges in turn, and what each took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/stencil/halo.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"
#include "upwash/streaming/options.hpp"

namespace stencil {

struct task {
  lattice of;
  int steps = 20;
  double mflops = 1000;  ///< of a simulated processor
  int objects = 8;       ///< boxes a rank, where objects do the steps
  int wander = 0;        ///< steps after which such a box moves; 0: none does
  bool by_hash = false;  ///< where such boxes begin; else those of a rank are neighbours
  std::size_t buffer_bytes =
      upwash::stream_options::automatic;  ///< where their calls ride together
};

/// One way of exchange, and the times of its turns: the same at all ranks.
struct timed_run {
  std::string by;
  std::unique_ptr<halo> is;                ///< nullptr: by objects
  upwash::duration first;                  ///< the exchange made, with its first
  std::vector<upwash::duration> exchange;  ///< of all steps, with packing; the slowest rank's
  std::vector<upwash::duration> all;
  std::uint64_t mark = 0;      ///< of all ranks' cells, after the last turn
  std::uint64_t messages = 0;  ///< of all ranks in the last turn, without puts
};

/// So many parts of the lattice's dimensions, as even as their number allows, the longest side
/// first; a square has 1 in the first dimension.
[[nodiscard]] triple sides_of(int parts, const lattice& of);
/// The ranks on a grid of such sides. Throws `error` (configuration) where a rank would have no
/// cells.
[[nodiscard]] upwash::grid places_of(int ranks, const task& what);
/// As "3 x 2", in the lattice's dimensions.
[[nodiscard]] std::string text_of(const triple& sides, const lattice& of);

/// The exchanges of objects that call each other (boxes.hpp): by calls, or calls that ride together
/// over one or two dimensions of ranks.
constexpr std::string_view objects = "objects";
constexpr std::string_view aggregated = "aggregated";
constexpr std::string_view aggregated2d = "aggregated2d";
[[nodiscard]] constexpr bool is_by_objects(std::string_view by) {
  return by == objects || by == aggregated || by == aggregated2d;
}

/// Collective, blocking; errors as make_halo and places_of.
[[nodiscard]] std::vector<timed_run> make_runs(upwash::job& here, const task& what,
                                               std::span<const std::string> exchanges);
/// Every run from the first values on, `repeats` times, in turn: A B C A B C. Collective, blocking;
/// gives the exchanges back at the end.
void run_in_turn(upwash::job& here, const task& what, std::span<timed_run> runs, int repeats);

}  // namespace stencil
