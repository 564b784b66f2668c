// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The messages of a trace: each with its two ends.
#pragma once

#include <cstdint>
#include <optional>

#include "upwash/base/function_ref.hpp"
#include "upwash/observe/trace_files.hpp"

namespace upwash::tools {

struct traced_message {
  const observe::traced_rank* source = nullptr;
  const observe::trace_event* sent = nullptr;
  const observe::traced_rank* destination = nullptr;  ///< null with `arrived`
  const observe::trace_event* arrived = nullptr;      ///< null: not in the trace
  std::optional<std::uint32_t> tag;                   ///< of a tagged message
};

/// Calls `take` for each message that was sent, by sources, then in the order of sending.
/// O(arrivals) memory.
void for_each_message(const observe::trace& of, function_ref<void(const traced_message&)> take);

}  // namespace upwash::tools
