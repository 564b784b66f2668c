// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Accumulates solve this problem: several ranks add to the same memory of one rank, and no addend
// may be lost. Computes y += scale * x, element by element. Runs in place if the target's memory is
// loaded and stored, else in a handler at the owner, which needs the owner's progress or its
// progress thread. The docstring of `accumulate` describes the atomicity.
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

/// Adds scale * x to x.size() elements from `to` on. T: int32, int64 or long, float, double, or
/// complex of the last two.
///
/// `x` must stay unchanged until the request is complete. Nonblocking. The request is complete when
/// all elements are added at the target.
///
/// Each element is changed as a whole with regard to other accumulates of the same type that begin
/// at the same byte, at any rank and by either path. Concurrent puts, gets, atomics, loads and
/// stores are not atomic with accumulates: order them by fences and barriers. The order of
/// accumulates is not defined, so floating-point sums may differ in the last bits from run to run.
/// Integers wrap around. A complex product is the plain product of the parts.
///
/// Both paths take locks at the owner, one for each stripe of 8 KiB. The first accumulates to a
/// peer always use the handler: they fetch the keys of memory and locks. If a rank dies while it
/// holds a stripe, the ranks that wait for the stripe end when the launcher ends the job.
///
/// O(elements). Memory: the data sent by message, until the operation is complete. Throws `error`
/// (argument), before anything is sent, for a location out of bounds or not aligned as T is, a rank
/// that does not exist, and a region that this rank does not know.
/// @code
/// void add(upwash::job& here, upwash::global_ptr<double> to, std::span<const double> x) {
///   upwash::accumulate(here, to, x).wait();  // to[i] += x[i]
///   upwash::accumulate(here, to, x, -2.0, upwash::implicit);
///   here.quiet();  // to[i] -= 2 * x[i]
/// }
/// @endcode
template <class T>
[[nodiscard]] request accumulate(job& here, global_ptr<T> to,
                                 std::span<const std::type_identity_t<T>> x,
                                 const std::type_identity_t<T>& scale = T(1)) {
  return detail::accumulate_laid(here, detail::accumulation_of<T>(to, x, scale),
                                 strided{static_cast<std::int64_t>(x.size_bytes())});
}

/// Adds scale * x, completed by `job.quiet()` or by `quiet(rank)` of the target.
template <class T>
void accumulate(job& here, global_ptr<T> to, std::span<const std::type_identity_t<T>> x,
                const std::type_identity_t<T>& scale, implicit_t) {
  detail::accumulate_laid(here, detail::accumulation_of<T>(to, x, scale),
                          strided{static_cast<std::int64_t>(x.size_bytes())}, implicit);
}

/// Adds scale * x to the runs of a layout. The lengths of runs must be multiples of the element's
/// size; strides and offsets at the target must be multiples of its alignment. Throws `error`
/// (argument) otherwise. Runs may overlap at the target: all are added. Otherwise as above.
template <class T>
[[nodiscard]] request accumulate(job& here, global_ptr<T> to,
                                 std::span<const std::type_identity_t<T>> x, const layout& laid,
                                 const std::type_identity_t<T>& scale = T(1)) {
  return detail::accumulate_laid(here, detail::accumulation_of<T>(to, x, scale), laid);
}

/// Adds to the runs of a layout, completed by `job.quiet()` or by `quiet(rank)` of the target.
template <class T>
void accumulate(job& here, global_ptr<T> to, std::span<const std::type_identity_t<T>> x,
                const layout& laid, const std::type_identity_t<T>& scale, implicit_t) {
  detail::accumulate_laid(here, detail::accumulation_of<T>(to, x, scale), laid, implicit);
}

}  // namespace upwash
