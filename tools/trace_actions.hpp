// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A trace as what its ranks did one after the other, so that it can be done again in other times:
// work keeps its length, waits have none of their own, and who waited waits for the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "upwash/observe/trace_files.hpp"

namespace upwash::tools {

/// What a rank does next.
struct rank_action {
  enum class kind : std::uint8_t {
    work,    ///< for `ps`: the program's, of handlers, of collectives in shared memory
    send,    ///< message `which`; `ps`: it took so long
    arrive,  ///< its handler begins: not before it is there
    put,     ///< of `bytes` to `peer`; `ps`: the call took so long
    fetch,   ///< a get or an atomic: the rank has the bytes then
    flush,   ///< all puts are there
    enter,   ///< call `which` of a collective in shared memory
    leave,   ///< once its members let this rank go
  };
  kind what = kind::work;
  int peer = -1;
  std::uint64_t bytes = 0;
  std::int64_t ps = 0;
  std::size_t which = 0;
};

struct replayed_message {
  int from = 0;
  int to = 0;
  std::uint64_t bytes = 0;
  std::int64_t flight_ps = 0;  ///< from the begin of its sending to that of its handler
};

/// A collective whose members used shared memory only: no message came to them meanwhile.
struct replayed_call {
  struct member {
    int rank = 0;
    std::int64_t begin_ps = 0;
    std::int64_t end_ps = 0;
  };
  std::string operation;
  std::uint64_t bytes = 0;
  std::vector<member> members;  ///< those in the trace
  std::int64_t longest_ps = 0;  ///< from the last begin that a member waited for, to its end
};

struct replayed_rank {
  int rank = 0;
  std::int64_t begin_ps = 0;
  std::vector<rank_action> actions;
};

struct trace_actions {
  std::vector<replayed_rank> ranks;
  std::vector<replayed_message> messages;
  std::vector<replayed_call> calls;
};

/// O(events log events). Waits that no message and no collective ended are work: what they were for
/// is not in the trace.
[[nodiscard]] trace_actions actions_of(const observe::trace& of);

}  // namespace upwash::tools
