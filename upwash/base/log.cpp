// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/details/log_msg.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "upwash/base/error.hpp"
#include "upwash/base/process.hpp"

namespace upwash {
namespace {

constexpr std::array<std::string_view, 6> level_names{"trace",   "debug", "info",
                                                      "warning", "error", "off"};

/// The second and last process-wide state beside base/process: standard error is one for the
/// process, and a line must be possible where no job exists.
struct process_log {
  spdlog::sinks::stderr_sink_mt console;
  std::atomic<log_level> threshold{log_level::warning};
  std::atomic<int> rank{-1};

  process_log() {
    console.set_formatter(
        std::make_unique<spdlog::pattern_formatter>("%v", spdlog::pattern_time_type::local, "\n"));
  }
};

process_log& the_log() {
  // Never destroyed, so that destructors of static objects may still log.
  static auto* const log = new process_log;
  return *log;
}

spdlog::details::log_msg message(std::string_view text) {
  return {"", spdlog::level::info, spdlog::string_view_t(text.data(), text.size())};
}

}  // namespace

bool log_enabled(log_level level) noexcept {
  return level >= the_log().threshold.load(std::memory_order_relaxed);
}

void log(log_level level, std::string_view layer, std::string_view text) {
  if (!log_enabled(level)) return;
  auto& state = the_log();
  const int running = process::current_rank();
  const int rank = running >= 0 ? running : state.rank.load(std::memory_order_relaxed);
  const auto who = rank < 0 ? std::string() : fmt::format("[rank {}]", rank);
  const auto line = fmt::format("upwash{} {}: {}", who, layer, text);
  state.console.log(message(line));
}

void set_log_level(std::string_view name) {
  for (std::size_t i = 0; i < level_names.size(); ++i) {
    if (level_names[i] != name) continue;
    the_log().threshold.store(static_cast<log_level>(i), std::memory_order_relaxed);
    return;
  }
  throw error(error_kind::configuration,
              fmt::format("log: \"{}\" is not one of {}", name, fmt::join(level_names, "|")));
}

void set_log_rank(int rank) noexcept { the_log().rank.store(rank, std::memory_order_relaxed); }

}  // namespace upwash
