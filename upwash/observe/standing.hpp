// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The status of one rank at a moment, which the report of a hanging job compares with the others.
// Plain bytes, so it can lie in memory that processes share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "upwash/base/call_site.hpp"
#include "upwash/observe/counters.hpp"
#include "upwash/observe/series.hpp"

namespace upwash::observe {

/// The activity of a rank. `unknown`: it has reported nothing. `runs`, `sleeps`, `stopped`: it has
/// not answered, and the operating system reports this state of its process. `ended`: it has left
/// the job in good order.
enum class doing : std::uint8_t { unknown, waits, runs, sleeps, stopped, ended };

/// Text of bounded length, cut if it is too long. Ends with a 0.
template <std::size_t Bytes>
struct short_text {
  std::array<char, Bytes> bytes{};

  void operator=(std::string_view text) noexcept {
    bytes = {};
    const std::size_t kept = text.size() < Bytes ? text.size() : Bytes - 1;
    for (std::size_t i = 0; i < kept; ++i) bytes[i] = text[i];
    if (kept == text.size()) return;
    for (std::size_t i = kept - 3; i < kept; ++i) bytes[i] = '.';
  }
  [[nodiscard]] std::string_view view() const noexcept { return bytes.data(); }
};

/// The number of operations of each series that a rank has begun on a team.
struct team_counts {
  std::uint64_t team = 0;
  std::uint64_t barriers = 0;
  std::uint64_t controls = 0;
  std::uint64_t collectives = 0;
  std::uint64_t epochs = 0;
};

/// 912 bytes.
struct standing {
  static constexpr int most_named_members = 512;  ///< world ranks that `members` can name

  std::int32_t rank = -1;
  std::int32_t process = 0;  ///< pid; 0: the same for all
  doing now = doing::unknown;
  series counted = series::none;  ///< series of `number`
  bool on_team = false;           ///< `team` names a team, even if it is 0
  bool members_known = false;
  std::int32_t peer = -1;  ///< awaited world rank; -1: any or none
  std::int64_t tag = -1;   ///< -1: any, or none
  std::int64_t waited_ps = 0;
  std::uint64_t bytes = 0;
  std::uint64_t team = 0;
  std::uint64_t number = 0;
  short_text<40> operation;
  short_text<80> place;     ///< FILE:LINE of the call that waits; empty: unknown
  short_text<256> pending;  ///< unfinished work of its layers
  counters done;            ///< so far
  std::uint32_t teams_known = 0;
  std::array<team_counts, 8> teams{};      ///< the world, and other teams as room permits
  std::array<std::uint64_t, 8> members{};  ///< of `team`: bit r % 64 of word r / 64 for rank r

  void set_place(const call_site& at);
  void add_member(int world_rank) noexcept {
    if (world_rank >= most_named_members) return;
    const auto at = static_cast<unsigned>(world_rank);
    members[at / 64] |= std::uint64_t{1} << (at % 64);
  }
  [[nodiscard]] bool has_member(int world_rank) const noexcept {
    const auto at = static_cast<unsigned>(world_rank);
    return at < most_named_members && (members[at / 64] >> (at % 64) & 1U) != 0;
  }
};

}  // namespace upwash::observe
