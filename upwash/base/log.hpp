// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Logging for the library's own use. Lines carry rank and layer.
#pragma once

#include <string_view>

namespace upwash {

enum class log_level { trace, debug, info, warning, error, off };

/// Returns whether a line of this level would be written. Cost: one load.
[[nodiscard]] bool log_enabled(log_level level) noexcept;

/// Writes one line to standard error: "upwash[rank 3] shm: text". Thread-safe. Layers compose
/// the text with fmt at the call.
void log(log_level level, std::string_view layer, std::string_view text);

/// Sets the threshold from the knob `log` (for example "info"); throws `error` with the valid
/// names otherwise. Called by runtime when a job starts.
void set_log_level(std::string_view name);

/// Names the rank in this process's lines; -1 for none. With several ranks a process the
/// current fiber's rank (base/process) is used when there is one.
void set_log_rank(int rank) noexcept;

}  // namespace upwash
