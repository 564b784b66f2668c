// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets of strided memory and of lists of segments (layout.hpp): one call, one request.
//
//   put(here, to, std::span<const double>(a), tile).wait();         // blocking
//   request r = get(here, from, std::span(b), tile);                // by request
//   put(here, to, std::span<const double>(c), tile, implicit);      // until job.quiet()
//
// Where the target's memory is loaded and stored, runs are copied one by one, and the transfer is
// complete on return. Where the conduit writes remote memory, runs that are long on average are a
// put or get of their own. All else is packed: memory calls of at most `medium_limit(job, owner)`
// bytes, which a handler at the owner unpacks, so it needs the owner's progress or its progress
// thread. One run alone is a plain put or get.
//
// The first transfers to memory of a peer that could be loaded and stored are still packed: they
// fetch its key.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "upwash/core/global_ptr.hpp"
#include "upwash/core/request.hpp"
#include "upwash/onesided/layout.hpp"

namespace upwash {

class job;

/// How transfers of many runs go where memory is not loaded and stored.
struct transfer_options {
  /// Runs that are shorter than this on average are packed, others are a put or get each where the
  /// conduit writes remote memory. 0: none is packed there, so that the owner's processor is not
  /// needed; the largest number: all are.
  std::size_t packed_below = 2048;
};

namespace detail {
request put_laid(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
                 const layout& laid, const transfer_options& how);
void put_laid(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
              const layout& laid, const transfer_options& how, implicit_t);
void put_laid(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
              const layout& laid, const transfer_options& how, const notice& done);
/// Copies, where the target's memory is loaded and stored, and returns whether it is; checks as
/// put.
bool put_laid_at_once(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
                      const layout& laid);
request get_laid(job& here, global_ptr<std::byte> from, std::span<std::byte> to, const layout& laid,
                 const transfer_options& how);
void get_laid(job& here, global_ptr<std::byte> from, std::span<std::byte> to, const layout& laid,
              const transfer_options& how, implicit_t);
void get_laid(job& here, global_ptr<std::byte> from, std::span<std::byte> to, const layout& laid,
              const transfer_options& how, const notice& done);
}  // namespace detail

/// Copies the runs of `from` to where the layout says, behind `to`. Nonblocking; the request is
/// complete when all of them are visible at the target, and `from` must stay unchanged until then;
/// the layout may go at once. Throws `error` (argument), before anything is sent, for a layout that
/// makes no sense, runs that leave `from` or the target's memory, a rank that does not exist and a
/// region that this rank does not know. Of parts of unequal size the target refuses what leaves
/// its own, which ends the job. O(bytes + runs); memory: what is packed, until it is complete.
template <class T>
[[nodiscard]] request put(job& here, global_ptr<T> to,
                          std::span<const std::type_identity_t<T>> from, const layout& laid,
                          const transfer_options& how = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  return detail::put_laid(here, to.template as<std::byte>(), std::as_bytes(from), laid, how);
}

/// Completed by `job.quiet()`, or `quiet(rank)` of the target.
template <class T>
void put(job& here, global_ptr<T> to, std::span<const std::type_identity_t<T>> from,
         const layout& laid, implicit_t, const transfer_options& how = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  detail::put_laid(here, to.template as<std::byte>(), std::as_bytes(from), laid, how, implicit);
}

/// With completion told where `done` says, once for all runs: a request or counter at once where it
/// is complete on return, a callback always in a later progress. Throws `error` (argument) for an
/// empty notice.
template <class T>
void put(job& here, global_ptr<T> to, std::span<const std::type_identity_t<T>> from,
         const layout& laid, const notice& done, const transfer_options& how = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  detail::put_laid(here, to.template as<std::byte>(), std::as_bytes(from), laid, how, done);
}

/// Copies from behind `from` into the runs of `to`. Nonblocking; they may be read when the request
/// is complete, and other bytes of `to` are never touched. Errors and cost as of put.
template <class T>
[[nodiscard]] request get(job& here, global_ptr<T> from, std::span<std::type_identity_t<T>> to,
                          const layout& laid, const transfer_options& how = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  return detail::get_laid(here, from.template as<std::byte>(), std::as_writable_bytes(to), laid,
                          how);
}

/// Completed by `job.quiet()`, or `quiet(rank)` of the owner.
template <class T>
void get(job& here, global_ptr<T> from, std::span<std::type_identity_t<T>> to, const layout& laid,
         implicit_t, const transfer_options& how = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  detail::get_laid(here, from.template as<std::byte>(), std::as_writable_bytes(to), laid, how,
                   implicit);
}

/// Told where `done` says, as of put.
template <class T>
void get(job& here, global_ptr<T> from, std::span<std::type_identity_t<T>> to, const layout& laid,
         const notice& done, const transfer_options& how = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  detail::get_laid(here, from.template as<std::byte>(), std::as_writable_bytes(to), laid, how,
                   done);
}

}  // namespace upwash
