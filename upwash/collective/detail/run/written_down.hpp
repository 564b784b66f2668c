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

inline void write_down(observe::trace_writer& into, const traced_collective& what, duration begin,
                       duration end) {
  into.next() = {.begin_ps = begin.ps(),
                 .length_ps = static_cast<std::uint64_t>((end - begin).ps()),
                 .bytes = what.bytes,
                 .number = number_in_trace(what.run),
                 .name = into.name(what.operation, what.algorithm, what.site),
                 .kind = observe::trace_kind::collective,
                 .team = static_cast<std::uint16_t>(what.team ^ what.team >> 16U)};
}

}  // namespace upwash::collective::detail
