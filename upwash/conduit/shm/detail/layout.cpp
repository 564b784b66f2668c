// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes of rings. Small rings stay in the caches: 64 lines are the fastest, near and far.
#include "upwash/conduit/shm/detail/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "upwash/base/error.hpp"
#include "upwash/conduit/shm/detail/memfd.hpp"

namespace upwash::conduit::shm_detail {
namespace {

constexpr std::uint64_t payload_budget = std::uint64_t{1} << 20U;  // for each process, inbound
constexpr std::uint64_t least_payload = 4096;
constexpr std::uint64_t most_payload = 65536;
constexpr std::uint64_t lines_budget = std::uint64_t{8} << 20U;

void check(const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (std::has_single_bit(value) && value >= least && value <= most) return;
  throw error(
      error_kind::configuration,
      fmt::format("{}={}: expected 0 or a power of two from {} to {}", name, value, least, most));
}

/// Few between many processes, since each pair has them; more where many ranks share a process, up
/// to what keeps all lines of a job within some MiB.
std::uint64_t lines_for(std::uint64_t processes, std::uint64_t most_ranks) {
  constexpr std::uint64_t ranks_a_share = 8;
  constexpr std::uint64_t most_lines = 1024;
  std::uint64_t lines = processes <= 32 ? 64 : processes <= 96 ? 32 : 16;
  const auto all = [&] { return lane_count * processes * processes * lines * line_bytes; };
  for (std::uint64_t ranks = ranks_a_share;
       ranks < most_ranks && lines < most_lines && 2 * all() <= lines_budget; ranks *= 2) {
    lines *= 2;
  }
  return lines;
}

}  // namespace

layout layout::choose(const rank_layout& ranks, const settings& values) {
  const int processes = ranks.processes();
  layout chosen;
  chosen.processes = static_cast<std::uint32_t>(processes);
  auto lines = static_cast<std::uint64_t>(values.integer("shm_ring_lines"));
  if (lines == 0) {
    int most_ranks = 0;
    for (int p = 0; p < processes; ++p) most_ranks = std::max(most_ranks, ranks.count_of(p));
    lines = lines_for(chosen.processes, static_cast<std::uint64_t>(most_ranks));
  }
  check("shm_ring_lines", lines, 8, 4096);
  auto payload = values.bytes("shm_payload");
  if (payload == 0) {
    payload = std::bit_floor(payload_budget / (lane_count * chosen.processes));
    payload = std::clamp(payload, least_payload, most_payload);
  }
  check("shm_payload", payload, least_payload, most_payload * 2);
  chosen.line_count = static_cast<std::uint32_t>(lines);
  chosen.payload_bytes = static_cast<std::uint32_t>(payload);
  chosen.header_bytes = round_up(chosen.bell_offset() + line_bytes, page_bytes());
  const std::size_t lane_bytes = lines * line_bytes + payload;
  chosen.group_bytes =
      round_up((1 + lane_count) * line_bytes + lane_count * lane_bytes, page_bytes());
  return chosen;
}

ring_place layout::ring(std::byte* group, lane kind) const {
  const auto number = static_cast<std::size_t>(kind);
  const std::size_t lines_at = (1 + lane_count) * line_bytes + number * line_count * line_bytes;
  const std::size_t payload_at =
      (1 + lane_count) * line_bytes + lane_count * line_count * line_bytes + number * payload_bytes;
  ring_place place;
  place.lines = reinterpret_cast<line*>(group + lines_at);
  place.payload = group + payload_at;
  place.returned = reinterpret_cast<std::atomic<std::uint32_t>*>(group + (1 + number) * line_bytes);
  place.line_count = line_count;
  place.payload_bytes = payload_bytes;
  return place;
}

}  // namespace upwash::conduit::shm_detail
