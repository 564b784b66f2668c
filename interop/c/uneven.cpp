// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of blocks whose lengths differ.
#include "interop/c/detail/blocks.hpp"
#include "interop/c/detail/collective_call.hpp"

using namespace upwash::c;  // NOLINT: of this file alone
using upwash::collective::kind;

namespace {

blocks of_members(const upwash_team& team, const std::uint64_t* bytes, const std::uint64_t* offsets,
                  std::string_view name) {
  return blocks_of(static_cast<std::size_t>(team.members.size()), bytes, offsets, name);
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

/// The blocks of all and a member's own, of one call.
struct uneven_call {
  const void* mine;
  std::size_t mine_bytes;
  void* all;
  const std::uint64_t* bytes;
  const std::uint64_t* offsets;
};

void all_gather_v(const upwash_team& team, const uneven_call& with, const outcome& to) {
  const blocks of = of_members(team, with.bytes, with.offsets, "all");
  check_own(team, of, with.mine_bytes);
  perform(team, call_of(kind::all_gather_v, mean_of(of)),
          {.input = input(with.mine, with.mine_bytes, "mine"),
           .output = output(with.all, of.end, "all"),
           .given = {of.bytes, of.offsets, {}, {}}},
          to);
}

void gather_v(const upwash_team& team, int root, const uneven_call& with, const outcome& to) {
  const auto wanted = call_of(kind::gather_v, 0, root);
  const auto own = input(with.mine, with.mine_bytes, "mine");
  if (team.members.rank() != root) return perform(team, wanted, {.input = own}, to);
  const blocks of = of_members(team, with.bytes, with.offsets, "all");
  check_own(team, of, with.mine_bytes);
  perform(team, wanted,
          {.input = own,
           .output = output(with.all, of.end, "all"),
           .given = {of.bytes, of.offsets, {}, {}}},
          to);
}

/// What the root has, and where a member's block goes.
struct scattered {
  const void* all;
  const std::uint64_t* bytes;
  const std::uint64_t* offsets;
  void* mine;
  std::size_t mine_bytes;
};

void scatter_v(const upwash_team& team, int root, const scattered& with, const outcome& to) {
  const auto wanted = call_of(kind::scatter_v, 0, root);
  const auto own = output(with.mine, with.mine_bytes, "mine");
  if (team.members.rank() != root) return perform(team, wanted, {.output = own}, to);
  const blocks of = of_members(team, with.bytes, with.offsets, "all");
  check_own(team, of, with.mine_bytes);
  perform(team, wanted,
          {.input = input(with.all, of.end, "all"),
           .output = own,
           .given = {of.bytes, of.offsets, {}, {}}},
          to);
}

void all_to_all_v(const upwash_team& team, const side<const void>& sent, const side<void>& received,
                  const outcome& to) {
  const blocks out = of_members(team, sent.bytes, sent.offsets, "sent");
  const blocks in = of_members(team, received.bytes, received.offsets, "received");
  perform(team, call_of(kind::all_to_all_v),
          {.input = input(sent.data, out.end, "sent"),
           .output = output(received.data, in.end, "received"),
           .given = {out.bytes, out.offsets, in.bytes, in.offsets}},
          to);
}

}  // namespace

extern "C" {

int upwash_all_gather_v(upwash_team* team, const void* mine, size_t mine_bytes, void* all,
                        const uint64_t* bytes, const uint64_t* offsets, upwash_request** request) {
  return guarded_by(team, "upwash_all_gather_v", [&] {
    all_gather_v(*team, {mine, mine_bytes, all, bytes, offsets}, {request});
  });
}
int upwash_all_gather_v_prepare(upwash_team* team, const void* mine, size_t mine_bytes, void* all,
                                const uint64_t* bytes, const uint64_t* offsets,
                                upwash_persistent** made) {
  return prepared_by(team, "upwash_all_gather_v_prepare", made, [&](const outcome& to) {
    all_gather_v(*team, {mine, mine_bytes, all, bytes, offsets}, to);
  });
}

int upwash_gather_v(upwash_team* team, int root, const void* mine, size_t mine_bytes, void* all,
                    const uint64_t* bytes, const uint64_t* offsets, upwash_request** request) {
  return guarded_by(team, "upwash_gather_v", [&] {
    gather_v(*team, root, {mine, mine_bytes, all, bytes, offsets}, {request});
  });
}
int upwash_gather_v_prepare(upwash_team* team, int root, const void* mine, size_t mine_bytes,
                            void* all, const uint64_t* bytes, const uint64_t* offsets,
                            upwash_persistent** made) {
  return prepared_by(team, "upwash_gather_v_prepare", made, [&](const outcome& to) {
    gather_v(*team, root, {mine, mine_bytes, all, bytes, offsets}, to);
  });
}

int upwash_scatter_v(upwash_team* team, int root, const void* all, const uint64_t* bytes,
                     const uint64_t* offsets, void* mine, size_t mine_bytes,
                     upwash_request** request) {
  return guarded_by(team, "upwash_scatter_v", [&] {
    scatter_v(*team, root, {all, bytes, offsets, mine, mine_bytes}, {request});
  });
}
int upwash_scatter_v_prepare(upwash_team* team, int root, const void* all, const uint64_t* bytes,
                             const uint64_t* offsets, void* mine, size_t mine_bytes,
                             upwash_persistent** made) {
  return prepared_by(team, "upwash_scatter_v_prepare", made, [&](const outcome& to) {
    scatter_v(*team, root, {all, bytes, offsets, mine, mine_bytes}, to);
  });
}

int upwash_all_to_all_v(upwash_team* team, const void* sent, const uint64_t* sent_bytes,
                        const uint64_t* sent_offsets, void* received,
                        const uint64_t* received_bytes, const uint64_t* received_offsets,
                        upwash_request** request) {
  return guarded_by(team, "upwash_all_to_all_v", [&] {
    all_to_all_v(*team, {sent, sent_bytes, sent_offsets},
                 {received, received_bytes, received_offsets}, {request});
  });
}
int upwash_all_to_all_v_prepare(upwash_team* team, const void* sent, const uint64_t* sent_bytes,
                                const uint64_t* sent_offsets, void* received,
                                const uint64_t* received_bytes, const uint64_t* received_offsets,
                                upwash_persistent** made) {
  return prepared_by(team, "upwash_all_to_all_v_prepare", made, [&](const outcome& to) {
    all_to_all_v(*team, {sent, sent_bytes, sent_offsets},
                 {received, received_bytes, received_offsets}, to);
  });
}

}  // extern "C"
