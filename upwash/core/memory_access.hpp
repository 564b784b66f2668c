// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets. On directly addressable memory they are a copy; else the conduit or the owner
// does them. Both stages of completion are apart: local, when the source may be reused (or
// fetched data read), and remote, when the data is visible at the target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "upwash/base/call_site.hpp"
#include "upwash/base/words.hpp"
#include "upwash/core/detail/direct.hpp"
#include "upwash/core/global_ptr.hpp"
#include "upwash/core/peer_traffic.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/request.hpp"

namespace upwash {

/// A signal that rides with a put: `add` is added to the word (aligned to 8 bytes, of a region at
/// the same rank) after the data is visible there.
struct signal_word {
  global_ptr<std::uint64_t> word;
  std::uint64_t add = 1;
};

namespace detail {

void put_slow(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
              const signal_word& with, const notices& when);
request put_slow(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
                 const signal_word& with);
void put_slow(job& here, global_ptr<std::byte> to, std::span<const std::byte> from);
request put_slow(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
                 unacknowledged_t);
request get_slow(job& here, global_ptr<std::byte> from, std::span<std::byte> to);
void get_slow(job& here, global_ptr<std::byte> from, std::span<std::byte> to, const notice& done);
void get_slow(job& here, global_ptr<std::byte> from, std::span<std::byte> to, implicit_t);

}  // namespace detail

/// Copies `from` to `to`. Nonblocking; the request is complete when the data is visible at the
/// target, and `from` must stay unchanged until then. Throws `error` (argument) for places out of
/// bounds. One copy on directly addressable memory, where it is complete on return.
template <class T>
[[nodiscard]] request put(job& here, global_ptr<T> to,
                          std::span<const std::type_identity_t<T>> from) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (std::byte* direct = detail::direct_put(here, to, from.size_bytes())) {
    detail::store_bytes(direct, from.data(), from.size_bytes());
    return {};
  }
  return detail::put_slow(here, to.template as<std::byte>(), std::as_bytes(from), signal_word{});
}

/// One value, blocking until it is visible.
template <class T>
void put_value(job& here, global_ptr<T> to, const std::type_identity_t<T>& value,
               call_site site = call_site::current()) {
  if (std::byte* direct = detail::direct_put(here, to, sizeof value)) {
    detail::store_value(direct, value);
  } else {
    put(here, to, std::span<const T>(&value, 1)).wait(site);
  }
  detail::end_blocking_call(here);
}

/// Completed by `job.quiet()`, or `quiet(rank)` of the target; `from` must stay unchanged until
/// then.
template <class T>
void put(job& here, global_ptr<T> to, std::span<const std::type_identity_t<T>> from, implicit_t) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (std::byte* direct = detail::direct_put(here, to, from.size_bytes())) {
    detail::store_bytes(direct, from.data(), from.size_bytes());
    return;
  }
  detail::put_slow(here, to.template as<std::byte>(), std::as_bytes(from));
}

/// Nobody tells when it is visible: `confirm(job, rank)` asks, for all before it
/// (peer_traffic.hpp). The request is complete when `from` may be reused: mostly at once.
template <class T>
[[nodiscard]] request put(job& here, global_ptr<T> to,
                          std::span<const std::type_identity_t<T>> from, unacknowledged_t) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (std::byte* direct = detail::direct_put(here, to, from.size_bytes())) {
    detail::store_bytes(direct, from.data(), from.size_bytes());
    return {};
  }
  return detail::put_slow(here, to.template as<std::byte>(), std::as_bytes(from), unacknowledged);
}

/// With each stage told where `when` says. A request or counter is told at once when its stage is
/// reached at once; a callback always waits for the next progress.
template <class T>
void put(job& here, global_ptr<T> to, std::span<const std::type_identity_t<T>> from,
         const notices& when) {
  detail::put_slow(here, to.template as<std::byte>(), std::as_bytes(from), signal_word{}, when);
}

/// A put that carries a signal. The request as for put; the signal is seen after the data.
template <class T>
[[nodiscard]] request put_signal(job& here, global_ptr<T> to,
                                 std::span<const std::type_identity_t<T>> from,
                                 const signal_word& with) {
  static_assert(std::is_trivially_copyable_v<T>);
  return detail::put_slow(here, to.template as<std::byte>(), std::as_bytes(from), with);
}

/// The same with each stage told where `when` says.
template <class T>
void put_signal(job& here, global_ptr<T> to, std::span<const std::type_identity_t<T>> from,
                const signal_word& with, const notices& when) {
  static_assert(std::is_trivially_copyable_v<T>);
  detail::put_slow(here, to.template as<std::byte>(), std::as_bytes(from), with, when);
}

/// Copies from `from` into `to`. Nonblocking; `to` may be read when the request is complete.
template <class T>
[[nodiscard]] request get(job& here, global_ptr<T> from, std::span<std::type_identity_t<T>> to) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (const std::byte* direct = detail::direct_get(here, from, to.size_bytes())) {
    load_words(std::as_writable_bytes(to).data(), direct, to.size_bytes());
    return {};
  }
  return detail::get_slow(here, from.template as<std::byte>(), std::as_writable_bytes(to));
}

/// One value, blocking.
template <class T>
[[nodiscard]] T get_value(job& here, global_ptr<T> from, call_site site = call_site::current()) {
  T value;
  if (const std::byte* direct = detail::direct_get(here, from, sizeof(T))) {
    value = detail::load_value<T>(direct);
  } else {
    get(here, from, std::span<T>(&value, 1)).wait(site);
  }
  detail::end_blocking_call(here);
  return value;
}

/// `get` that tells `done` when the data is there. Nonblocking.
template <class T>
void get(job& here, global_ptr<T> from, std::span<std::type_identity_t<T>> to, const notice& done) {
  detail::get_slow(here, from.template as<std::byte>(), std::as_writable_bytes(to), done);
}

/// Completed by `job.quiet()`.
template <class T>
void get(job& here, global_ptr<T> from, std::span<std::type_identity_t<T>> to, implicit_t) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (const std::byte* direct = detail::direct_get(here, from, to.size_bytes())) {
    load_words(std::as_writable_bytes(to).data(), direct, to.size_bytes());
    return;
  }
  detail::get_slow(here, from.template as<std::byte>(), std::as_writable_bytes(to), implicit);
}

/// Reads peers' exposed private memory, from `offset` bytes on. Needs the owner's progress where
/// the conduit moves the data through both processors.
[[nodiscard]] request get(job& here, const exposed_memory& from, std::uint64_t offset,
                          std::span<std::byte> to);
void get(job& here, const exposed_memory& from, std::uint64_t offset, std::span<std::byte> to,
         const notice& done);

/// Where loads and stores reach a peer's memory, or null where they do not. The pointer is valid
/// until the region is freed. May wait for the peer's key at first use; not from a handler then.
template <class T>
[[nodiscard]] T* local(job& here, global_ptr<T> at, std::size_t elements = 1) {
  return reinterpret_cast<T*>(
      detail::direct_address(here, at.template as<std::byte>(), elements * sizeof(T)));
}

/// Blocks until a word in this rank's own region compares so; makes progress meanwhile. Peers
/// change it by signals, puts or atomics.
void wait_until(job& here, const std::uint64_t& word, comparison how, std::uint64_t value,
                call_site site = call_site::current());

}  // namespace upwash
