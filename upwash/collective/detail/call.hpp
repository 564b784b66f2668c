// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The way from a public collective to a schedule that runs: the algorithm is chosen once for each
// shape of a call on a team, and kept as a plan.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "upwash/collective/detail/board.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/collective/options.hpp"
#include "upwash/collective/registry.hpp"

namespace upwash::collective::detail {

struct team_record;

/// A public call, before anything is chosen.
struct call {
  problem what;  ///< ranks, layout and direct access are filled in from the team
  collective_options how;
  std::uint64_t kind_of_reduction = 0;
  call_site site;
};

/// A step that runs on the team's board, in its turn: everything looked up.
struct compact_step {
  schedule::step_kind kind = schedule::step_kind::copy;
  schedule::buffer left = schedule::buffer::none;
  schedule::buffer right = schedule::buffer::none;
  schedule::buffer into = schedule::buffer::none;
  std::uint32_t edge = 0;
  std::uint32_t bytes = 0;
  std::uint64_t left_at = 0;
  std::uint64_t right_at = 0;
  std::uint64_t into_at = 0;
  std::uint64_t value = 0;
  board::place* places = nullptr;  ///< of the peer; of this rank for a receive
};

/// What is kept of a call's shape.
struct plan {
  // The shape.
  problem what;
  collective_options how;
  std::string forced;  ///< holds the text of how.algorithm

  // What was chosen for it.
  selection chosen;
  std::optional<schedule::generator> steps;  ///< of this rank
  manner run_as;
  /// The steps, where all of them run on the team's board, in order: on the caller's stack.
  std::vector<compact_step> compact;
  std::uint64_t scratch_bytes = 0;
  int runs = 0;  ///< calls that go through `compact`: it is kept for them
};

/// The plans of a team: at most 32 beside those that run; the least recently used goes first.
class plan_cache {
 public:
  static constexpr std::size_t most_plans = 32;

  /// The plan of that shape, or null. The most recently used is found at once.
  [[nodiscard]] plan* find(const call& wanted) noexcept;
  plan& add(plan&& made);

 private:
  std::list<plan> plans_;  ///< most recently used first
};

/// A call and its buffers; the public headers make these.
struct bound_call {
  call wanted;
  binding buffers;
};

[[nodiscard]] request start(const team& among, const call& wanted, const binding& buffers);
void run(const team& among, const call& wanted, const binding& buffers);
[[nodiscard]] persistent prepare(const team& among, const call& wanted, const binding& buffers);

[[nodiscard]] inline request start(const team& among, const bound_call& all) {
  return start(among, all.wanted, all.buffers);
}
inline void run(const team& among, const bound_call& all) { run(among, all.wanted, all.buffers); }
[[nodiscard]] inline persistent prepare(const team& among, const bound_call& all) {
  return prepare(among, all.wanted, all.buffers);
}

/// Throws `error` (argument) unless the buffer has as many elements as the collective says.
void check_size(const team& among, kind what, const char* buffer, std::size_t elements,
                std::size_t wanted);

/// Names an operator and its type, the same in all ranks of one program.
template <class T, class Operator>
[[nodiscard]] std::uint64_t name_of_reduction() noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char* at = __PRETTY_FUNCTION__; *at != '\0'; ++at) {
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace upwash::collective::detail
