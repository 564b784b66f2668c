// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Control collectives: the few collectives that core itself needs (split, allocate, free, finish),
// independent of the collective layer. All are blocking and use active messages. The barrier uses
// shared memory if every member can address it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "upwash/base/call_site.hpp"
#include "upwash/core/team.hpp"
#include "upwash/observe/wait_reason.hpp"

namespace upwash::control {

/// Blocks until all members have entered. Collective. In shared memory: one counter and one word
/// for the team (flags for two members). Else dissemination, ceil(log2 size) messages a rank.
void barrier(const team& among, call_site site = call_site::current());

/// Runs the barrier with messages in any case: dissemination. Collective, blocking.
void barrier_by_messages(const team& among, call_site site = call_site::current());

/// Copies `bytes` of `root` to all members. Binomial tree. Collective, blocking.
void broadcast(const team& among, int root, std::span<std::byte> bytes,
               call_site site = call_site::current());

/// Gathers the bytes of all members: `mine` of member i is written to offset i * mine.size() of
/// `all`. Bruck's algorithm: ceil(log2 size) messages a rank. Collective, blocking.
void all_gather(const team& among, std::span<const std::byte> mine, std::span<std::byte> all,
                call_site site = call_site::current());

enum class fold : std::uint8_t { sum, least, most };

/// Folds `values` element by element over all members. The result is at all members. Binomial tree
/// up and down. Collective, blocking.
void all_reduce(const team& among, std::span<std::uint64_t> values, fold how,
                call_site site = call_site::current());

/// Copies one value of `root` to all members, as `broadcast` does. Collective, blocking.
template <class T>
void broadcast_value(const team& among, int root, T& value, call_site site = call_site::current()) {
  static_assert(std::is_trivially_copyable_v<T>);
  broadcast(among, root, std::as_writable_bytes(std::span(&value, 1)), site);
}

/// Gathers one value of each member, as `all_gather` does. Collective, blocking.
template <class T>
void all_gather_values(const team& among, const T& mine, std::span<T> all,
                       call_site site = call_site::current()) {
  static_assert(std::is_trivially_copyable_v<T>);
  all_gather(among, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(all), site);
}

/// Returns the wait reason of a call of the program that consists of several control collectives. A
/// `wait_scope` with this reason names the call in reports. Call this function before the first of
/// the collectives.
[[nodiscard]] wait_reason reason_of(const team& among, const char* call, call_site site);

}  // namespace upwash::control
