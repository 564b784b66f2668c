// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Types whose bytes mean nothing in another process.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

namespace upwash {

/// Whether T refers to elements elsewhere.
template <class T>
inline constexpr bool is_view = false;
template <class T, std::size_t N>
inline constexpr bool is_view<std::span<T, N>> = true;
template <class C, class Traits>
inline constexpr bool is_view<std::basic_string_view<C, Traits>> = true;

template <class T>
inline constexpr bool is_address =
    is_view<T> || std::is_pointer_v<T> || std::is_member_pointer_v<T>;

}  // namespace upwash
