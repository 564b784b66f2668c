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

/// What a reducing call says of its problem; the element's size and whether order counts come from
/// its operator.
struct reduced_problem {
  kind of = kind::reduce;
  std::uint64_t bytes = 0;
  int root = 0;
  bool in_place = false;
};

/// Made where it stays, field by field: a copy would load wide what was just stored narrow, and
/// so wait until the stores before it, of earlier calls to lines of a peer, are over.
template <class T, class Operator>
[[nodiscard]] bound_call reduction_call(const Operator& by, const reduced_problem& what,
                                        std::span<const T> input, std::span<T> output,
                                        const collective_options& how, call_site site) {
  constexpr std::uint64_t name = name_of_reduction<T, Operator>();
  return {{.what = {.of = what.of,
                    .bytes = what.bytes,
                    .element_bytes = sizeof(T),
                    .root = what.root,
                    .in_place = what.in_place,
                    .commutative = commutes<Operator>()},
           .how = how,
           .kind_of_reduction = name,
           .site = site},
          {.input = std::as_bytes(input),
           .output = std::as_writable_bytes(output),
           .combine = reduction_of<T>(by)}};
}

}  // namespace upwash::collective::detail
