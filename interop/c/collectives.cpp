// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of equal blocks.
#include "interop/c/detail/collective_call.hpp"

using namespace upwash::c;  // NOLINT: of this file alone
using upwash::collective::kind;

namespace {

std::size_t of_all(const upwash_team& team, std::size_t bytes) {
  return product(static_cast<std::size_t>(team.members.size()), bytes, "bytes");
}

upwash::collective::call call_of(kind of, std::size_t bytes, bool in_place = false, int root = 0) {
  return {.what = {.of = of, .bytes = bytes, .root = root, .in_place = in_place}};
}

/// A gather or scatter in place: its blocks at the root, one elsewhere.
void run_in_place(const upwash_team& team, kind of, int root, void* data, std::size_t bytes,
                  const outcome& to) {
  const bool has_all = team.members.rank() == root;
  const auto blocks = output(data, has_all ? of_all(team, bytes) : bytes, "the buffer");
  perform(team, call_of(of, bytes, true, root), {.input = blocks, .output = blocks}, to);
}

void broadcast(const upwash_team& team, int root, void* data, std::size_t bytes,
               const outcome& to) {
  perform(team, call_of(kind::broadcast, bytes, true, root),
          {.output = output(data, bytes, "data")}, to);
}

void gather(const upwash_team& team, int root, const void* mine, void* all, std::size_t bytes,
            const outcome& to) {
  if (in_place(mine, all, bytes)) return run_in_place(team, kind::gather, root, all, bytes, to);
  const std::size_t comes = team.members.rank() == root ? of_all(team, bytes) : 0;
  perform(team, call_of(kind::gather, bytes, false, root),
          {.input = input(mine, bytes, "mine"), .output = output(all, comes, "all")}, to);
}

void scatter(const upwash_team& team, int root, const void* all, void* mine, std::size_t bytes,
             const outcome& to) {
  if (in_place(all, mine, bytes)) return run_in_place(team, kind::scatter, root, mine, bytes, to);
  const std::size_t goes = team.members.rank() == root ? of_all(team, bytes) : 0;
  perform(team, call_of(kind::scatter, bytes, false, root),
          {.input = input(all, goes, "all"), .output = output(mine, bytes, "mine")}, to);
}

void all_gather(const upwash_team& team, const void* mine, void* all, std::size_t bytes,
                const outcome& to) {
  const bool same = in_place(mine, all, bytes);
  perform(team, call_of(kind::all_gather, bytes, same),
          {.input = input(mine, same ? 0 : bytes, "mine"),
           .output = output(all, of_all(team, bytes), "all")},
          to);
}

void all_to_all(const upwash_team& team, const void* blocks, void* received, std::size_t bytes,
                const outcome& to) {
  const bool same = in_place(blocks, received, bytes);
  const std::size_t all = of_all(team, bytes);
  perform(team, call_of(kind::all_to_all, bytes, same),
          {.input = input(blocks, same ? 0 : all, "blocks"),
           .output = output(received, all, "received")},
          to);
}

}  // namespace

extern "C" {

int upwash_barrier(upwash_team* team, upwash_request** request) {
  return guarded_by(team, "upwash_barrier",
                    [&] { perform(*team, call_of(kind::barrier, 0), {}, {request}); });
}
int upwash_barrier_prepare(upwash_team* team, upwash_persistent** made) {
  return prepared_by(team, "upwash_barrier_prepare", made,
                     [&](const outcome& to) { perform(*team, call_of(kind::barrier, 0), {}, to); });
}

int upwash_broadcast(upwash_team* team, int root, void* data, size_t bytes,
                     upwash_request** request) {
  return guarded_by(team, "upwash_broadcast",
                    [&] { broadcast(*team, root, data, bytes, {request}); });
}
int upwash_broadcast_prepare(upwash_team* team, int root, void* data, size_t bytes,
                             upwash_persistent** made) {
  return prepared_by(team, "upwash_broadcast_prepare", made,
                     [&](const outcome& to) { broadcast(*team, root, data, bytes, to); });
}

int upwash_gather(upwash_team* team, int root, const void* mine, void* all, size_t bytes,
                  upwash_request** request) {
  return guarded_by(team, "upwash_gather",
                    [&] { gather(*team, root, mine, all, bytes, {request}); });
}
int upwash_gather_prepare(upwash_team* team, int root, const void* mine, void* all, size_t bytes,
                          upwash_persistent** made) {
  return prepared_by(team, "upwash_gather_prepare", made,
                     [&](const outcome& to) { gather(*team, root, mine, all, bytes, to); });
}

int upwash_scatter(upwash_team* team, int root, const void* all, void* mine, size_t bytes,
                   upwash_request** request) {
  return guarded_by(team, "upwash_scatter",
                    [&] { scatter(*team, root, all, mine, bytes, {request}); });
}
int upwash_scatter_prepare(upwash_team* team, int root, const void* all, void* mine, size_t bytes,
                           upwash_persistent** made) {
  return prepared_by(team, "upwash_scatter_prepare", made,
                     [&](const outcome& to) { scatter(*team, root, all, mine, bytes, to); });
}

int upwash_all_gather(upwash_team* team, const void* mine, void* all, size_t bytes,
                      upwash_request** request) {
  return guarded_by(team, "upwash_all_gather",
                    [&] { all_gather(*team, mine, all, bytes, {request}); });
}
int upwash_all_gather_prepare(upwash_team* team, const void* mine, void* all, size_t bytes,
                              upwash_persistent** made) {
  return prepared_by(team, "upwash_all_gather_prepare", made,
                     [&](const outcome& to) { all_gather(*team, mine, all, bytes, to); });
}

int upwash_all_to_all(upwash_team* team, const void* blocks, void* received, size_t bytes,
                      upwash_request** request) {
  return guarded_by(team, "upwash_all_to_all",
                    [&] { all_to_all(*team, blocks, received, bytes, {request}); });
}
int upwash_all_to_all_prepare(upwash_team* team, const void* blocks, void* received, size_t bytes,
                              upwash_persistent** made) {
  return prepared_by(team, "upwash_all_to_all_prepare", made,
                     [&](const outcome& to) { all_to_all(*team, blocks, received, bytes, to); });
}

}  // extern "C"
