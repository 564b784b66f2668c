// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for several handles, of one type or of several types.
#pragma once

#include <concepts>
#include <iterator>
#include <type_traits>

#include "upwash/core/request.hpp"

namespace upwash {

/// An operation in flight: `request`, `matching::receiving`, and any other type with test() and
/// wait().
template <class T>
concept handle = requires(T& each) {
  { each.test() } -> std::same_as<bool>;
  each.wait();
};

/// A handle, or a range of handles.
template <class T>
concept waitable = handle<std::remove_reference_t<T>> ||
    (std::ranges::range<T>&& handle<std::remove_reference_t<std::ranges::range_reference_t<T>>>);

namespace detail {

template <class T>
void wait_for(T&& what) {
  if constexpr (handle<std::remove_reference_t<T>>) {
    what.wait(call_site{});  // no default argument after a parameter pack
  } else {
    for (auto& each : what) each.wait(call_site{});
  }
}

}  // namespace detail

/// Blocks until all handles are complete: handles and ranges of handles, in any mixture. All
/// operations make progress meanwhile. Throws the error of the first wait that fails; later handles
/// stay as they are.
template <waitable... Waited>
void wait_all(Waited&&... handles) {
  (detail::wait_for(handles), ...);
}

}  // namespace upwash
