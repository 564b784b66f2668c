// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Control collectives: the few that core itself needs (split, allocate, free, finish) before
// there is a collective layer, and for ever. Blocking, over active messages; the barrier uses
// shared memory where every member can address it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "upwash/base/call_site.hpp"
#include "upwash/core/team.hpp"
#include "upwash/observe/wait_reason.hpp"

namespace upwash::control {

/// All members have entered when any leaves. Shared memory: one counter and one word for the
/// team (flags for two members); else dissemination, ceil(log2 size) messages a rank.
void barrier(const team& among, call_site site = call_site::current());

/// By messages in any case: dissemination.
void barrier_by_messages(const team& among, call_site site = call_site::current());

/// `bytes` of `root` to all. Binomial tree.
void broadcast(const team& among, int root, std::span<std::byte> bytes,
               call_site site = call_site::current());

/// `mine` of member i lands at i * mine.size() of `all`. Bruck: ceil(log2 size) messages a rank.
void all_gather(const team& among, std::span<const std::byte> mine, std::span<std::byte> all,
                call_site site = call_site::current());

enum class fold : std::uint8_t { sum, least, most };

/// Element by element over all members, the result at all. Binomial tree up and down.
void all_reduce(const team& among, std::span<std::uint64_t> values, fold how,
                call_site site = call_site::current());

/// As `broadcast`, of one value. Collective, blocking.
template <class T>
void broadcast_value(const team& among, int root, T& value, call_site site = call_site::current()) {
  static_assert(std::is_trivially_copyable_v<T>);
  broadcast(among, root, std::as_writable_bytes(std::span(&value, 1)), site);
}

/// As `all_gather`, of one value of each member. Collective, blocking.
template <class T>
void all_gather_values(const team& among, const T& mine, std::span<T> all,
                       call_site site = call_site::current()) {
  static_assert(std::is_trivially_copyable_v<T>);
  all_gather(among, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(all), site);
}

/// For a call of the program that is made of several of these: a `wait_scope` of it names that call
/// in reports. To be asked for before the first of them.
[[nodiscard]] wait_reason reason_of(const team& among, const char* call, call_site site);

}  // namespace upwash::control
