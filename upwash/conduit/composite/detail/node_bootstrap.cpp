// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/composite/detail/node_bootstrap.hpp"

#include <algorithm>
#include <cstdlib>

namespace upwash::conduit::composite {
namespace {

int first_process(std::span<const int> nodes, int self) {
  const int mine = nodes[static_cast<std::size_t>(self)];
  return static_cast<int>(std::find(nodes.begin(), nodes.end(), mine) - nodes.begin());
}

/// Of the processes of a node, the first of which is `first`.
rank_layout layout_of(const rank_layout& whole, std::span<const int> nodes, int first) {
  std::vector<int> counts;
  for (int p = first; p < whole.processes(); ++p) {
    if (nodes[static_cast<std::size_t>(p)] != nodes[static_cast<std::size_t>(first)]) break;
    counts.push_back(whole.count_of(p));
  }
  return rank_layout(counts);
}

}  // namespace

node_bootstrap::node_bootstrap(bootstrap& whole, std::span<const int> nodes)
    : whole_(whole),
      first_(first_process(nodes, whole.process())),
      layout_(layout_of(whole.layout(), nodes, first_)) {}

void node_bootstrap::exchange(std::span<const std::byte> mine, std::span<std::byte> all) {
  everybodys_.resize(mine.size() * static_cast<std::size_t>(whole_.process_count()));
  whole_.exchange(mine, everybodys_);
  const auto nodes =
      std::span(everybodys_).subspan(mine.size() * static_cast<std::size_t>(first_), all.size());
  std::copy(nodes.begin(), nodes.end(), all.begin());
}

void node_bootstrap::abort(int rank, int status, std::string_view why) noexcept {
  whole_.abort(in_whole(rank), status, why);
  std::abort();  // not reached; the compiler does not believe a virtual function
}

void node_bootstrap::desert(int rank, std::string_view why) noexcept {
  whole_.desert(in_whole(rank), why);
}

}  // namespace upwash::conduit::composite
