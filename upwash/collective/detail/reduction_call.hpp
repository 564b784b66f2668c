// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What calls that combine contributions have in common.
#pragma once

#include <cstdint>
#include <span>

#include "upwash/collective/detail/call.hpp"
#include "upwash/collective/reduction.hpp"

namespace upwash::collective::detail {

/// Element size and whether order counts are filled in.
template <class T, class Operator>
[[nodiscard]] bound_call reduction_call(const Operator& by, const problem& what,
                                        std::span<const T> input, std::span<T> output,
                                        const collective_options& how, call_site site) {
  constexpr std::uint64_t name = name_of_reduction<T, Operator>();
  call wanted{.what = what, .how = how, .kind_of_reduction = name, .site = site};
  wanted.what.element_bytes = sizeof(T);
  wanted.what.commutative = commutes<Operator>();
  return {wanted,
          {.input = std::as_bytes(input),
           .output = std::as_writable_bytes(output),
           .combine = reduction_of<T>(by)}};
}

}  // namespace upwash::collective::detail
