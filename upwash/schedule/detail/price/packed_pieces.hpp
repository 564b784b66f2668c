// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The pieces that were copied into scratch, until a message carries them: these were combined.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

#include "upwash/schedule/step.hpp"

namespace upwash::schedule::detail {

class packed_pieces {
 public:
  void note(const piece& into) {
    if (into.of != buffer::scratch || into.bytes == 0) return;
    take(into);  // what was there is gone
    ends_[into.offset] = into.end();
  }

  /// Forgets those that a piece of scratch touches. Returns how many.
  std::size_t take(const piece& from) {
    if (from.of != buffer::scratch || from.bytes == 0) return 0;
    auto first = ends_.lower_bound(from.offset);
    if (first != ends_.begin() && std::prev(first)->second > from.offset) --first;
    const auto last = ends_.lower_bound(from.end());
    const auto count = static_cast<std::size_t>(std::distance(first, last));
    ends_.erase(first, last);
    return count;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  ///< by offset; apart
};

}  // namespace upwash::schedule::detail
