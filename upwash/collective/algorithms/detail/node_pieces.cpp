// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/detail/node_pieces.hpp"

#include <algorithm>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/collective/algorithms/detail/node_stages.hpp"

namespace upwash::collective::detail {

std::uint64_t node_pieces::needed(std::uint64_t room_of_each, beside also) const noexcept {
  std::uint64_t all = 0;
  std::uint64_t most_come = 0;
  for (int node = 0; node < of.nodes->nodes(); ++node) {
    std::uint64_t own = 0;
    for (const int rank : of.nodes->ranks_of(node)) {
      own += std::min(room_of_each, given_bytes(rank));
    }
    all += own;
    most_come = std::max(most_come, most_turns(*of.nodes, node) * own);
  }
  return also == beside::what_comes ? all + most_come : all;
}

void node_pieces::note_lengths(schedule::script& out, beside also) {
  const model::node_map& nodes = *of.nodes;
  const node_words words(nodes);
  const auto noted = out.words();
  if (is_first()) {
    told_by = &out;
    auto data =
        collective::blocks::as_given(nodes.ranks(), static_cast<std::uint32_t>(of.element_bytes));
    of.bytes = data.largest(out);
    for (int rank = 0; rank < nodes.ranks(); ++rank) {
      noted[words.vector_at + at(rank)] = data.at(out, schedule::buffer::output, rank).offset;
    }
    // The most elements that fit; one always does.
    std::uint64_t fits = 1;
    std::uint64_t too_many = of.bytes / of.element_bytes + 1;
    while (fits + 1 < too_many) {
      const std::uint64_t tried = fits + (too_many - fits) / 2;
      (needed(tried * of.element_bytes, also) <= of.scratch_bytes ? fits : too_many) = tried;
    }
    room = fits * of.element_bytes;
  }
  std::uint64_t end = 0;
  std::size_t number_of = 0;
  noted[0] = noted[words.nodes_at] = 0;
  for (int node = 0; node < nodes.nodes(); ++node) {
    for (const int rank : nodes.ranks_of(node)) {
      end += given_block(schedule::buffer::shared, rank, 0).bytes;
      noted[++number_of] = end;
    }
    noted[words.nodes_at + at(node) + 1] = end;
  }
}

}  // namespace upwash::collective::detail
