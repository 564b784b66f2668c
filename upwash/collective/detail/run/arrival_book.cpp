// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/arrival_book.hpp"

#include <algorithm>

namespace upwash::collective::detail {

std::vector<std::pair<edge_key, early>> arrival_book::take_of_any_source(const edge_key& edge) {
  std::vector<std::pair<edge_key, early>> all;
  early_.take_if(
      [&edge](const edge_key& key, const early& /*what*/) {
        return key.edge == edge.edge && key.operation() == edge.operation();
      },
      [&all](const edge_key& key, early&& what) { all.emplace_back(key, std::move(what)); });
  std::stable_sort(all.begin(), all.end(), [](const auto& one, const auto& other) {
    return one.first.source < other.first.source;
  });
  return all;
}

void arrival_book::forget(const operation& of) {
  const auto is_its = [&of](const edge_key& /*key*/, const slot* s) { return s->of == &of; };
  posted_.erase_if(is_its);
  wait_for_place_.erase_if(is_its);
}

}  // namespace upwash::collective::detail
