// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets of strided memory and of lists of segments (layout.hpp) solve this problem: a block
// of an array is many short runs, and a put for each is slow. Here one call with one request moves
// all runs.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "upwash/core/global_ptr.hpp"
#include "upwash/core/request.hpp"
#include "upwash/onesided/layout.hpp"

namespace upwash {

class job;

/// How transfers of many runs travel if memory is not loaded and stored.
struct transfer_options {
  /// Runs below this average length, in bytes, are packed. Longer runs are a put or get each, if
  /// the conduit writes remote memory. 0: no run is packed there, so that the owner's processor is
  /// not needed. The largest number: all runs are packed.
  std::size_t packed_below = 2048;
};

namespace detail {
request put_laid(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
                 const layout& laid, const transfer_options& how);
void put_laid(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
              const layout& laid, const transfer_options& how, implicit_t);
void put_laid(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
              const layout& laid, const transfer_options& how, const notice& done);
/// Copies the runs if the target's memory is loaded and stored, and returns whether it is. Checks
/// as put.
bool put_laid_at_once(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
                      const layout& laid);
request get_laid(job& here, global_ptr<std::byte> from, std::span<std::byte> to, const layout& laid,
                 const transfer_options& how);
void get_laid(job& here, global_ptr<std::byte> from, std::span<std::byte> to, const layout& laid,
              const transfer_options& how, implicit_t);
void get_laid(job& here, global_ptr<std::byte> from, std::span<std::byte> to, const layout& laid,
              const transfer_options& how, const notice& done);
}  // namespace detail

/// Copies the runs of `from` to the locations that the layout gives relative to `to`. `from` must
/// stay unchanged until the request is complete; the layout may be destroyed at once. Nonblocking.
/// The request is complete when all runs are visible at the target.
///
/// If the target's memory is loaded and stored, runs are copied one by one, and the transfer is
/// complete on return. If the conduit writes remote memory, runs that are long on average are a put
/// or get each. All other runs are packed into memory calls of at most `medium_limit(job, owner)`
/// bytes. A handler at the owner unpacks them, which needs the owner's progress or its progress
/// thread. A single run is a plain put or get. The first transfers to a peer whose memory could be
/// loaded and stored are still packed: they fetch its key.
///
/// O(bytes + runs). Memory: the packed data, until it is complete. Throws `error` (argument),
/// before anything is sent, for an invalid layout, runs that leave `from` or the target's memory, a
/// rank that does not exist, and a region that this rank does not know. If parts have unequal
/// sizes, the target rejects runs that leave its own part, which ends the job.
/// @code
/// void columns(upwash::job& here, upwash::global_ptr<double> to, std::span<double> a) {
///   const upwash::strided tile =
///       upwash::block_of({{8, 2}}, {{8, 8}}, {{64, 64}}, sizeof(double));
///   upwash::put(here, to, a, tile).wait();             // by request
///   upwash::put(here, to, a, tile, upwash::implicit);  // until quiet()
///   here.quiet();
///   upwash::get(here, to, a, tile).wait();
/// }
/// @endcode
template <class T>
[[nodiscard]] request put(job& here, global_ptr<T> to,
                          std::span<const std::type_identity_t<T>> from, const layout& laid,
                          const transfer_options& how = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  return detail::put_laid(here, to.template as<std::byte>(), std::as_bytes(from), laid, how);
}

/// Puts runs, completed by `job.quiet()` or by `quiet(rank)` of the target.
template <class T>
void put(job& here, global_ptr<T> to, std::span<const std::type_identity_t<T>> from,
         const layout& laid, implicit_t, const transfer_options& how = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  detail::put_laid(here, to.template as<std::byte>(), std::as_bytes(from), laid, how, implicit);
}

/// Puts runs and reports completion to `done`, once for all runs. A transfer that is complete on
/// return reports to a request or counter at once. A callback always runs in a later progress.
/// Throws `error` (argument) for an empty notice.
template <class T>
void put(job& here, global_ptr<T> to, std::span<const std::type_identity_t<T>> from,
         const layout& laid, const notice& done, const transfer_options& how = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  detail::put_laid(here, to.template as<std::byte>(), std::as_bytes(from), laid, how, done);
}

/// Copies from the locations relative to `from` into the runs of `to`. Nonblocking. The runs may be
/// read when the request is complete; other bytes of `to` are never changed. Errors and cost as for
/// put.
template <class T>
[[nodiscard]] request get(job& here, global_ptr<T> from, std::span<std::type_identity_t<T>> to,
                          const layout& laid, const transfer_options& how = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  return detail::get_laid(here, from.template as<std::byte>(), std::as_writable_bytes(to), laid,
                          how);
}

/// Gets runs, completed by `job.quiet()` or by `quiet(rank)` of the owner.
template <class T>
void get(job& here, global_ptr<T> from, std::span<std::type_identity_t<T>> to, const layout& laid,
         implicit_t, const transfer_options& how = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  detail::get_laid(here, from.template as<std::byte>(), std::as_writable_bytes(to), laid, how,
                   implicit);
}

/// Gets runs and reports completion to `done`, as put does.
template <class T>
void get(job& here, global_ptr<T> from, std::span<std::type_identity_t<T>> to, const layout& laid,
         const notice& done, const transfer_options& how = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  detail::get_laid(here, from.template as<std::byte>(), std::as_writable_bytes(to), laid, how,
                   done);
}

}  // namespace upwash
