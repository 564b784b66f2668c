// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A collective in the trace of a rank.
#pragma once

#include <cstdint>

#include "upwash/base/call_site.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/observe/trace_writer.hpp"

namespace upwash::collective::detail {

/// The texts are literals.
struct traced_collective {
  const char* operation = "";
  const char* algorithm = "";
  std::uint64_t bytes = 0;
  std::uint64_t team = 0;
  std::uint64_t run =
      0;  ///< of its team: the operation's number, and which start of a persistent one
  call_site site{};
};

/// The same at all members: numbers as they are while nothing is persistent, else scattered.
inline std::uint32_t number_in_trace(std::uint64_t run) noexcept {
  return static_cast<std::uint32_t>(run >> 32U) ^ static_cast<std::uint32_t>(run) * 0x9e3779b1U;
}

/// Tells teams apart, mostly.
inline std::uint16_t team_in_trace(std::uint64_t team) noexcept {
  return static_cast<std::uint16_t>(team ^ team >> 16U);
}

inline void write_down(observe::trace_writer& into, const traced_collective& what, duration begin,
                       duration end) {
  into.next() = {.begin_ps = begin.ps(),
                 .length_ps = static_cast<std::uint64_t>((end - begin).ps()),
                 .bytes = what.bytes,
                 .number = number_in_trace(what.run),
                 .name = into.name(what.operation, what.algorithm, what.site),
                 .kind = observe::trace_kind::collective,
                 .team = team_in_trace(what.team)};
}

/// A step of one: what it did, with whom.
struct traced_step {
  const char* kind = "";
  std::uint64_t bytes = 0;
  int peer = -1;  ///< world rank
};

inline void write_down(observe::trace_writer& into, const traced_step& what,
                       const traced_collective& of, duration begin, duration end) {
  into.next() = {.begin_ps = begin.ps(),
                 .length_ps = static_cast<std::uint64_t>((end - begin).ps()),
                 .bytes = what.bytes,
                 .peer = what.peer,
                 .number = number_in_trace(of.run),
                 .name = into.name(what.kind, of.operation, {}),
                 .kind = observe::trace_kind::step,
                 .team = team_in_trace(of.team)};
}

/// What a rank waited for within one, where it did not give up its turn.
inline void write_wait(observe::trace_writer& into, const traced_collective& of, duration begin,
                       duration end) {
  into.next() = {.begin_ps = begin.ps(),
                 .length_ps = static_cast<std::uint64_t>((end - begin).ps()),
                 .bytes = of.bytes,
                 .number = static_cast<std::uint32_t>(of.run >> 32U),
                 .name = into.name(of.operation, nullptr, of.site),
                 .kind = observe::trace_kind::wait};
}

}  // namespace upwash::collective::detail
