// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the tests of algorithms on trees have in common: which shapes, and who is the root.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "tests/collective/cases.hpp"
#include "upwash/base/random.hpp"
#include "upwash/model/tree.hpp"
#include "upwash/schedule/count.hpp"

namespace upwash::collective {

inline const std::vector<model::tree_shape>& some_shapes() {
  static const std::vector<model::tree_shape> all{
      model::binomial_tree(), model::knomial_tree(3), model::knomial_tree(40), model::flat_tree(),
      model::chain_tree(),    model::binary_tree(),   model::kary_tree(5),     model::fork_tree(3)};
  return all;
}

inline model::tree_shape drawn_shape(random_stream& random) {
  const int k = 2 + static_cast<int>(random.below(40));
  switch (random.below(4)) {
    case 0: return model::kary_tree(k - 1);
    case 1: return model::knomial_tree(k);
    case 2: return model::fork_tree(k - 1);
    default: return random.below(2) == 0 ? model::binomial_tree() : model::flat_tree();
  }
}

/// Levels below the root.
inline int depth_of(const model::tree_shape& shape, int ranks) {
  int deepest = 0;
  std::vector<int> depth(static_cast<std::size_t>(ranks));
  for (int rank = 1; rank < ranks; ++rank) {
    const model::tree_place here(shape, ranks, 0, rank);
    const int below = depth[static_cast<std::size_t>(here.parent())] + 1;
    depth[static_cast<std::size_t>(rank)] = below;
    deepest = std::max(deepest, below);
  }
  return deepest;
}

inline std::uint64_t segments_of(std::uint64_t bytes, std::uint64_t segment) {
  return segment == 0 || bytes == 0 ? 1 : (bytes + segment - 1) / segment;
}

/// All ranks' together.
inline schedule::totals totals_of(int ranks,
                                  const std::function<schedule::generator(int)>& schedule_of) {
  schedule::totals all;
  for (int rank = 0; rank < ranks; ++rank) {
    const schedule::totals one = schedule::count(schedule_of(rank));
    all.messages_sent += one.messages_sent;
    all.bytes_sent += one.bytes_sent;
    all.bytes_copied += one.bytes_copied;
    all.bytes_reduced += one.bytes_reduced;
    all.signals += one.signals;
    all.awaits += one.awaits;
  }
  return all;
}

/// The longest way of messages one behind the other: what a machine without costs but for the
/// passage of a message, of 1, would take.
inline int longest_way(int ranks, const std::function<schedule::generator(int)>& schedule_of) {
  struct place {
    schedule::generator steps;
    std::vector<int> ends;     ///< of the steps emitted
    schedule::step waiting{};  ///< the next one
    bool more = true;
  };
  std::vector<place> all;
  std::map<std::tuple<int, int, std::uint32_t>, int> arrives;
  for (int rank = 0; rank < ranks; ++rank) {
    all.push_back({schedule_of(rank), {}, {}, true});
    all.back().more = all.back().steps.next(all.back().waiting);
  }
  int longest = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < ranks; ++rank) {
      place& here = all[static_cast<std::size_t>(rank)];
      for (; here.more; here.more = here.steps.next(here.waiting)) {
        const schedule::step& s = here.waiting;
        int end = 0;
        for (const std::uint32_t distance : s.after) {
          if (distance != 0) end = std::max(end, here.ends[here.ends.size() - distance]);
        }
        if (s.after_all) {
          for (const int other : here.ends) end = std::max(end, other);
        }
        if (s.kind == schedule::step_kind::send) arrives[{rank, s.peer, s.edge}] = end + 1;
        if (s.kind == schedule::step_kind::receive) {
          const auto it = arrives.find({s.peer, rank, s.edge});
          if (it == arrives.end()) break;
          end = std::max(end, it->second);
        }
        here.ends.push_back(end);
        longest = std::max(longest, end);
        moved = true;
      }
    }
  }
  return longest;
}

}  // namespace upwash::collective
