// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of blocks whose lengths differ.
#include <algorithm>

#include "interop/c/detail/collective_call.hpp"
#include "interop/c/detail/guard.hpp"

using namespace upwash::c;  // NOLINT: of this file alone
using upwash::collective::kind;

namespace {

/// A block for each member, by bytes and offsets of the program's.
struct blocks {
  std::span<const std::uint64_t> bytes;
  std::span<const std::uint64_t> offsets;
  std::size_t end = 0;  ///< behind the last
};

blocks blocks_of(const upwash_team& team, const std::uint64_t* bytes, const std::uint64_t* offsets,
                 std::string_view name) {
  const auto members = static_cast<std::size_t>(team.members.size());
  blocks made{{&given(bytes, fmt::format("{}_bytes", name)), members},
              {&given(offsets, fmt::format("{}_offsets", name)), members}};
  for (std::size_t i = 0; i < members; ++i) {
    std::uint64_t end = 0;
    if (__builtin_add_overflow(bytes[i], offsets[i], &end) || end > PTRDIFF_MAX) {
      refuse(fmt::format("{}: {} bytes at {} for member {} are more than memory has", name,
                         bytes[i], offsets[i], i));
    }
    if (bytes[i] != 0) made.end = std::max<std::size_t>(made.end, end);
  }
  return made;
}

/// For choosing: the same at all members where they have the same blocks.
std::uint64_t mean_of(const blocks& all) {
  std::uint64_t total = 0;
  for (const std::uint64_t each : all.bytes) total += each;
  return (total + all.bytes.size() - 1) / all.bytes.size();
}

upwash::collective::call call_of(kind of, std::uint64_t mean = 0, int root = 0) {
  return {.what = {.of = of, .bytes = mean, .root = root}};
}

/// A member's own block has the length that the lengths of all say.
void check_own(const upwash_team& team, const blocks& all, std::size_t mine_bytes) {
  const int rank = team.members.rank();
  const std::uint64_t said = all.bytes[static_cast<std::size_t>(rank)];
  if (said == mine_bytes) return;
  refuse(fmt::format("mine_bytes is {}, but bytes[{}], of this member, is {}", mine_bytes, rank,
                     said));
}

}  // namespace

extern "C" {

int upwash_all_gather_v(upwash_team* team, const void* mine, size_t mine_bytes, void* all,
                        const uint64_t* bytes, const uint64_t* offsets, upwash_request** request) {
  return guarded_by(team, "upwash_all_gather_v", [&] {
    const blocks of = blocks_of(*team, bytes, offsets, "all");
    check_own(*team, of, mine_bytes);
    perform(*team, call_of(kind::all_gather_v, mean_of(of)),
            {.input = input(mine, mine_bytes, "mine"),
             .output = output(all, of.end, "all"),
             .given = {of.bytes, of.offsets, {}, {}}},
            request);
  });
}

int upwash_gather_v(upwash_team* team, int root, const void* mine, size_t mine_bytes, void* all,
                    const uint64_t* bytes, const uint64_t* offsets, upwash_request** request) {
  return guarded_by(team, "upwash_gather_v", [&] {
    const auto wanted = call_of(kind::gather_v, 0, root);
    const auto own = input(mine, mine_bytes, "mine");
    if (team->members.rank() != root) return perform(*team, wanted, {.input = own}, request);
    const blocks of = blocks_of(*team, bytes, offsets, "all");
    check_own(*team, of, mine_bytes);
    perform(*team, wanted,
            {.input = own,
             .output = output(all, of.end, "all"),
             .given = {of.bytes, of.offsets, {}, {}}},
            request);
  });
}

int upwash_scatter_v(upwash_team* team, int root, const void* all, const uint64_t* bytes,
                     const uint64_t* offsets, void* mine, size_t mine_bytes,
                     upwash_request** request) {
  return guarded_by(team, "upwash_scatter_v", [&] {
    const auto wanted = call_of(kind::scatter_v, 0, root);
    const auto own = output(mine, mine_bytes, "mine");
    if (team->members.rank() != root) return perform(*team, wanted, {.output = own}, request);
    const blocks of = blocks_of(*team, bytes, offsets, "all");
    check_own(*team, of, mine_bytes);
    perform(*team, wanted,
            {.input = input(all, of.end, "all"),
             .output = own,
             .given = {of.bytes, of.offsets, {}, {}}},
            request);
  });
}

int upwash_all_to_all_v(upwash_team* team, const void* sent, const uint64_t* sent_bytes,
                        const uint64_t* sent_offsets, void* received,
                        const uint64_t* received_bytes, const uint64_t* received_offsets,
                        upwash_request** request) {
  return guarded_by(team, "upwash_all_to_all_v", [&] {
    const blocks out = blocks_of(*team, sent_bytes, sent_offsets, "sent");
    const blocks in = blocks_of(*team, received_bytes, received_offsets, "received");
    perform(*team, call_of(kind::all_to_all_v),
            {.input = input(sent, out.end, "sent"),
             .output = output(received, in.end, "received"),
             .given = {out.bytes, out.offsets, in.bytes, in.offsets}},
            request);
  });
}

}  // extern "C"
