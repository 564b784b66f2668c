// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Comparison of much data: an expectation for each byte costs more than all that is tested.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace upwash::test {

/// Index of the first element that differs; the size when `seen` is what was wanted. One that is
/// shorter differs at its end.
template <class Seen, class Wanted>
std::size_t first_difference(const Seen& seen, const Wanted& wanted) {
  using element = std::remove_cvref_t<decltype(*std::data(wanted))>;
  static_assert(std::is_same_v<element, std::remove_cvref_t<decltype(*std::data(seen))>>);
  static_assert(std::has_unique_object_representations_v<element>);
  const std::size_t common = std::min(std::size(seen), std::size(wanted));
  if (common == 0 ||
      std::memcmp(std::data(seen), std::data(wanted), common * sizeof(element)) == 0) {
    return common;
  }
  const auto* first = std::data(seen);
  return static_cast<std::size_t>(std::mismatch(first, first + common, std::data(wanted)).first -
                                  first);
}

}  // namespace upwash::test
