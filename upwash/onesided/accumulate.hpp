// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums into the memory of any rank: y += scale * x, element by element.
//
//   accumulate(here, to, std::span<const double>(x)).wait();             // to[i] += x[i]
//   accumulate(here, to, std::span<const double>(x), tile, -2.0, implicit);
//
// Each element is changed as a whole with regard to other accumulates of the same type that begin
// at the same byte, whoever makes them and however they reach it. Puts, gets, atomics, loads and
// stores beside them are not: they are ordered by fences and barriers. The order of accumulates is
// not defined, so sums of floating-point numbers may differ in the last bits from run to run.
// Integers wrap around; a complex product is the plain one of its parts.
//
// Where the target's memory is loaded and stored, it is done in place, under locks of stripes of
// 8 KiB that lie at the owner; else by a handler at the owner, under the same locks, which needs
// its progress or its progress thread. The first ones to a peer go that way always: they fetch the
// keys of memory and locks. A rank that dies while it holds a stripe takes those who wait for it
// along when the launcher ends the job.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <type_traits>

#include "upwash/core/global_ptr.hpp"
#include "upwash/core/request.hpp"
#include "upwash/onesided/detail/addend.hpp"
#include "upwash/onesided/layout.hpp"

namespace upwash {

class job;

namespace detail {
struct accumulation {
  global_ptr<std::byte> to;
  std::span<const std::byte> from;
  addend what = addend::float64;
  scale_bytes scale{};
};
request accumulate_laid(job& here, const accumulation& call, const layout& laid);
void accumulate_laid(job& here, const accumulation& call, const layout& laid, implicit_t);

template <class T>
[[nodiscard]] accumulation accumulation_of(global_ptr<T> to, std::span<const T> x, const T& scale) {
  return {to.template as<std::byte>(), std::as_bytes(x), addend_of<T>(), scale_of(scale)};
}
}  // namespace detail

/// Adds scale * x to as many elements from `to` on. T: int32, int64 or long, float, double, or
/// complex of the last two. Nonblocking; the request is complete when all are added at the target,
/// and `x` must stay unchanged until then. Throws `error` (argument), before anything is sent, for
/// places out of bounds or not aligned as T is, a rank that does not exist and a region that this
/// rank does not know. O(elements); memory: what goes by message, until it is complete.
template <class T>
[[nodiscard]] request accumulate(job& here, global_ptr<T> to,
                                 std::span<const std::type_identity_t<T>> x,
                                 const std::type_identity_t<T>& scale = T(1)) {
  return detail::accumulate_laid(here, detail::accumulation_of<T>(to, x, scale),
                                 strided{static_cast<std::int64_t>(x.size_bytes())});
}

/// Completed by `job.quiet()`, or `quiet(rank)` of the target.
template <class T>
void accumulate(job& here, global_ptr<T> to, std::span<const std::type_identity_t<T>> x,
                const std::type_identity_t<T>& scale, implicit_t) {
  detail::accumulate_laid(here, detail::accumulation_of<T>(to, x, scale),
                          strided{static_cast<std::int64_t>(x.size_bytes())}, implicit);
}

/// The same for the runs of a layout, whose lengths are multiples of the element's, and whose
/// strides and offsets at the target multiples of its alignment, all else being an error as above.
/// Runs may overlap at the target: all are added.
template <class T>
[[nodiscard]] request accumulate(job& here, global_ptr<T> to,
                                 std::span<const std::type_identity_t<T>> x, const layout& laid,
                                 const std::type_identity_t<T>& scale = T(1)) {
  return detail::accumulate_laid(here, detail::accumulation_of<T>(to, x, scale), laid);
}

/// Completed by `job.quiet()`, or `quiet(rank)` of the target.
template <class T>
void accumulate(job& here, global_ptr<T> to, std::span<const std::type_identity_t<T>> x,
                const layout& laid, const std::type_identity_t<T>& scale, implicit_t) {
  detail::accumulate_laid(here, detail::accumulation_of<T>(to, x, scale), laid, implicit);
}

}  // namespace upwash
