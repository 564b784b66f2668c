// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs schedules without blocking: any number in flight, on any teams, moved on by every wait.
// Edges match by exact key (team, operation's number on it, edge, source), never by tags. An edge
// of at most the medium size goes eagerly; a larger one is offered, fetched by its receiver from
// the sender's memory, and acknowledged (rendezvous).
#pragma once

#include <cstddef>
#include <span>

#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// into = left op right over `bytes` bytes of whole elements; `into` may be either operand.
struct reduction {
  void (*apply)(const std::byte* left, const std::byte* right, std::byte* into, std::size_t bytes,
                const void* context) = nullptr;
  const void* context = nullptr;
};

/// What a schedule's symbolic buffers stand for. The memory is the executor's until the request is
/// complete.
struct binding {
  std::span<const std::byte> input;
  std::span<std::byte> output;
  reduction combine;
};

/// Starts this rank's part of a collective. Called by all members of the team in the same order,
/// with the schedules of one algorithm. Nonblocking; no synchronisation. The request is complete
/// when this rank's steps are: its output may be read, its input reused. Memory while in flight:
/// the scratch, and the window's steps (at least 32); messages that come before this call are kept.
[[nodiscard]] request execute(const team& among, const schedule::generator& steps,
                              const binding& buffers, const char* name = "collective");

}  // namespace upwash::collective
