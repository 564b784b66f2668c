// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a trace as they lie in files: one part a rank. A part has a head, a table of names,
// and events in the order in which they ended. When the part is full, the oldest events are
// overwritten. All in the byte order of the machine that wrote it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upwash::observe {

/// The kinds of events. `peer` is a world rank; -1: none, or all.
enum class trace_kind : std::uint8_t {
  send,        ///< a message to `peer`; `number` counts messages to it on the lane
  arrive,      ///< a message from `peer`, when its handler begins; numbered as at its sender
  put,         ///< to memory of `peer`
  get,         ///< from memory of `peer`
  atomic,      ///< on a word of `peer`
  flush,       ///< towards `peer`
  wait,        ///< for the reason in `name`; `number` as the wait's
  collective,  ///< from its call to its end; `number`: the same at all members, different for each
               ///< operation of the team (for starts of persistent ones: usually)
  compute,     ///< the program computed, as declared by job::compute
  choice,      ///< a choice of the tuner, described by `name` (traced_choice.hpp)
  batch,       ///< `number` items of a stream left towards `peer`; `name`: the reason; `team`: the
               ///< buffer's threshold in thousandths
  tagged,      ///< a tagged message of `peer` arrived; `number`: its tag
  receive,     ///< a receive from `peer`, -1: any; `number`: its tag, or any_tag
  queues,      ///< of tagged messages: `bytes` posted receives, `number` kept messages
  migrate,     ///< an object of the program left for `peer`; `number`: its index, cut
  step,        ///< of a collective, in memory that members share, or with a member's messages;
               ///< `number` and `team` as the collective's
};
inline constexpr std::size_t trace_kind_count = static_cast<std::size_t>(trace_kind::step) + 1;
inline constexpr std::uint32_t any_traced_tag = ~std::uint32_t{0};

[[nodiscard]] std::string_view to_string(trace_kind kind) noexcept;

/// 40 bytes.
struct trace_event {
  std::int64_t begin_ps = 0;    ///< on the clock that the head names
  std::uint64_t length_ps = 0;  ///< 0: instantaneous
  std::uint64_t bytes = 0;      ///< payload and arguments, or the bytes of the wait or collective
  std::int32_t peer = -1;
  std::uint32_t number = 0;
  std::uint32_t name = 0;  ///< in the table of names
  trace_kind kind = trace_kind::wait;
  std::uint8_t lane = 0;   ///< lane of a message
  std::uint16_t team = 0;  ///< of a collective or choice: usually distinguishes teams
};
static_assert(sizeof(trace_event) == 40);

/// The first bytes of a part.
struct trace_head {
  static constexpr std::array<char, 16> right_magic = {'u', 'p', 'w', 'a', 's',  'h', ' ', 't',
                                                       'r', 'a', 'c', 'e', '\n', 0,   0,   0};
  static constexpr std::uint32_t right_version = 2;  ///< 1 had fewer kinds of events
  static constexpr std::size_t bytes = 4096;
  static constexpr std::size_t name_room = 128 * 1024;  ///< after the head
  static constexpr std::size_t events_at = bytes + name_room;
  static constexpr std::uint32_t most_names = 4096;

  std::array<char, 16> magic{};
  std::uint32_t version = 0;
  std::uint32_t event_bytes = 0;
  std::int32_t rank = -1;
  std::int32_t ranks = 0;
  std::int32_t node = 0;
  std::int32_t process = 0;
  std::uint32_t virtual_time = 0;  ///< 1: times are of a simulated machine
  std::uint32_t ended = 0;         ///< 1: the rank has left its job in good order
  // In real time only: the host's steady clock at time 0 of the events' clock, and the world's
  // clock at time 0 of the host's. The latter counts from 1970; in picoseconds it would not fit.
  std::int64_t zero_ps = 0;
  std::int64_t epoch_ns = 0;
  std::uint64_t capacity = 0;  ///< events that fit into the part
  std::uint64_t written = 0;   ///< events so far; if above the capacity, the first are overwritten
  std::uint64_t refused = 0;   ///< events without space on a full disk
  std::uint32_t names = 0;
  std::uint32_t names_bytes = 0;  ///< each name ends with a 0
  std::array<char, 64> host{};
  std::array<char, 32> conduit{};
};
static_assert(sizeof(trace_head) <= trace_head::bytes);

}  // namespace upwash::observe
