// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Neighborhoods and their collectives.
#include "interop/c/detail/blocks.hpp"
#include "interop/c/detail/collective_call.hpp"
#include "upwash/neighborhood/neighbor_all_gather.hpp"
#include "upwash/neighborhood/neighbor_all_gather_v.hpp"
#include "upwash/neighborhood/neighbor_all_to_all.hpp"
#include "upwash/neighborhood/neighbor_all_to_all_v.hpp"

using namespace upwash::c;  // NOLINT: of this file alone
using upwash::member_counts;
using upwash::neighborhood;

namespace {

/// `call(form...)` of a collective of neighbours: nonblocking without a form.
template <class Call>
void perform(const upwash_neighborhood& on, const outcome& to, const Call& call) {
  if (to.made != nullptr) return keep(*on.of, call(upwash::persist), to.made);
  if (to.request == nullptr) return call(upwash::blocking);
  hand_over(*on.of, call(), to.request);
}

std::span<const int> list(const int* members, int count, std::string_view name) {
  if (count < 0) refuse(fmt::format("{}_count is {}", name, count));
  if (count > 0) static_cast<void>(given(members, name));
  return {members, static_cast<std::size_t>(count)};
}

upwash::grid grid_of(int dimensions, const int* sizes, const int* periodic) {
  constexpr int most_dimensions = 64;
  if (dimensions < 1 || dimensions > most_dimensions) {
    refuse(fmt::format("dimensions is {}: expected 1 to {}", dimensions, most_dimensions));
  }
  static_cast<void>(given(sizes, "sizes"));
  std::vector<bool> rings;
  for (int i = 0; periodic != nullptr && i < dimensions; ++i) rings.push_back(periodic[i] != 0);
  return upwash::grid(std::vector<int>(sizes, sizes + dimensions), std::move(rings));
}

/// `make()` becomes a handle.
template <class Make>
int make_neighborhood(upwash_team* team, const char* function, upwash_neighborhood** made,
                      const Make& make) {
  return guarded_by(team, function, [&] {
    given(made, "made") = nullptr;
    *made = new upwash_neighborhood{team->of, make()};  // NOLINT: until upwash_neighborhood_free
  });
}

int tell_members(upwash_neighborhood* neighbors, const char* function,
                 std::span<const int> (neighborhood::*side)() const, const int** members,
                 int* count) {
  return guarded_by(neighbors, function, [&] {
    const std::span<const int> told = (neighbors->graph.*side)();
    given(members, "members") = told.data();
    given(count, "count") = static_cast<int>(told.size());
  });
}

std::size_t of_all(std::span<const int> members, std::size_t bytes) {
  return product(members.size(), bytes, "bytes");
}

void all_gather(const upwash_neighborhood& on, const void* mine, void* all, std::size_t bytes,
                const outcome& to) {
  const auto in = input(mine, bytes, "mine");
  const auto out = output(all, of_all(on.graph.sources(), bytes), "all");
  perform(on, to, [&](auto... form) { return neighbor_all_gather(on.graph, form..., in, out); });
}

void all_to_all(const upwash_neighborhood& on, const void* blocks, void* received,
                std::size_t bytes, const outcome& to) {
  const auto in = input(blocks, of_all(on.graph.destinations(), bytes), "blocks");
  const auto out = output(received, of_all(on.graph.sources(), bytes), "received");
  const upwash::neighbor_options how{.items = bytes};
  perform(on, to,
          [&](auto... form) { return neighbor_all_to_all(on.graph, form..., in, out, how); });
}

blocks of_edges(std::span<const int> members, const std::uint64_t* bytes,
                const std::uint64_t* offsets, std::string_view name) {
  return blocks_of(members.size(), bytes, offsets, name);
}

member_counts counts_of(const blocks& of) { return {of.bytes, of.offsets}; }

void all_gather_v(const upwash_neighborhood& on, std::span<const std::byte> mine, void* all,
                  const blocks& comes, const outcome& to) {
  const auto out = output(all, comes.end, "all");
  perform(on, to, [&](auto... form) {
    return neighbor_all_gather_v(on.graph, form..., mine, out, counts_of(comes));
  });
}

void all_to_all_v(const upwash_neighborhood& on, const side<const void>& sent,
                  const side<void>& received, const outcome& to) {
  const blocks goes = of_edges(on.graph.destinations(), sent.bytes, sent.offsets, "sent");
  const blocks comes = of_edges(on.graph.sources(), received.bytes, received.offsets, "received");
  const auto in = input(sent.data, goes.end, "sent");
  const auto out = output(received.data, comes.end, "received");
  perform(on, to, [&](auto... form) {
    return neighbor_all_to_all_v(on.graph, form..., in, counts_of(goes), out, counts_of(comes));
  });
}

}  // namespace

extern "C" {

int upwash_neighborhood_graph(upwash_team* team, const int* sources, int source_count,
                              const int* destinations, int destination_count,
                              upwash_neighborhood** made) {
  return make_neighborhood(team, "upwash_neighborhood_graph", made, [&] {
    return neighborhood(team->members,
                        {.sources = list(sources, source_count, "source"),
                         .destinations = list(destinations, destination_count, "destination")});
  });
}

int upwash_neighborhood_cartesian(upwash_team* team, int dimensions, const int* sizes,
                                  const int* periodic, upwash_neighborhood** made) {
  return make_neighborhood(team, "upwash_neighborhood_cartesian", made, [&] {
    return neighborhood::cartesian(team->members, grid_of(dimensions, sizes, periodic));
  });
}

int upwash_neighborhood_moore(upwash_team* team, int dimensions, const int* sizes,
                              const int* periodic, int radius, upwash_neighborhood** made) {
  return make_neighborhood(team, "upwash_neighborhood_moore", made, [&] {
    return neighborhood::moore(team->members, grid_of(dimensions, sizes, periodic), radius);
  });
}

int upwash_sources(upwash_neighborhood* neighbors, const int** members, int* count) {
  return tell_members(neighbors, "upwash_sources", &neighborhood::sources, members, count);
}
int upwash_destinations(upwash_neighborhood* neighbors, const int** members, int* count) {
  return tell_members(neighbors, "upwash_destinations", &neighborhood::destinations, members,
                      count);
}

int upwash_neighborhood_free(upwash_neighborhood** neighbors) {
  if (neighbors == nullptr) return UPWASH_ARGUMENT;
  return guarded_by(*neighbors, "upwash_neighborhood_free", [&] {
    delete std::exchange(*neighbors, nullptr);  // NOLINT: made by make_neighborhood
  });
}

int upwash_neighbor_all_gather(upwash_neighborhood* neighbors, const void* mine, void* all,
                               size_t bytes, upwash_request** request) {
  return guarded_by(neighbors, "upwash_neighbor_all_gather",
                    [&] { all_gather(*neighbors, mine, all, bytes, {request}); });
}
int upwash_neighbor_all_gather_prepare(upwash_neighborhood* neighbors, const void* mine, void* all,
                                       size_t bytes, upwash_persistent** made) {
  return prepared_by(neighbors, "upwash_neighbor_all_gather_prepare", made,
                     [&](const outcome& to) { all_gather(*neighbors, mine, all, bytes, to); });
}

int upwash_neighbor_all_to_all(upwash_neighborhood* neighbors, const void* blocks, void* received,
                               size_t bytes, upwash_request** request) {
  return guarded_by(neighbors, "upwash_neighbor_all_to_all",
                    [&] { all_to_all(*neighbors, blocks, received, bytes, {request}); });
}
int upwash_neighbor_all_to_all_prepare(upwash_neighborhood* neighbors, const void* blocks,
                                       void* received, size_t bytes, upwash_persistent** made) {
  return prepared_by(neighbors, "upwash_neighbor_all_to_all_prepare", made, [&](const outcome& to) {
    all_to_all(*neighbors, blocks, received, bytes, to);
  });
}

int upwash_neighbor_all_gather_v(upwash_neighborhood* neighbors, const void* mine,
                                 size_t mine_bytes, void* all, const uint64_t* bytes,
                                 const uint64_t* offsets, upwash_request** request) {
  return guarded_by(neighbors, "upwash_neighbor_all_gather_v", [&] {
    all_gather_v(*neighbors, input(mine, mine_bytes, "mine"), all,
                 of_edges(neighbors->graph.sources(), bytes, offsets, "all"), {request});
  });
}
int upwash_neighbor_all_gather_v_prepare(upwash_neighborhood* neighbors, const void* mine,
                                         size_t mine_bytes, void* all, const uint64_t* bytes,
                                         const uint64_t* offsets, upwash_persistent** made) {
  return prepared_by(
      neighbors, "upwash_neighbor_all_gather_v_prepare", made, [&](const outcome& to) {
        all_gather_v(*neighbors, input(mine, mine_bytes, "mine"), all,
                     of_edges(neighbors->graph.sources(), bytes, offsets, "all"), to);
      });
}

int upwash_neighbor_all_to_all_v(upwash_neighborhood* neighbors, const void* sent,
                                 const uint64_t* sent_bytes, const uint64_t* sent_offsets,
                                 void* received, const uint64_t* received_bytes,
                                 const uint64_t* received_offsets, upwash_request** request) {
  return guarded_by(neighbors, "upwash_neighbor_all_to_all_v", [&] {
    all_to_all_v(*neighbors, {sent, sent_bytes, sent_offsets},
                 {received, received_bytes, received_offsets}, {request});
  });
}
int upwash_neighbor_all_to_all_v_prepare(upwash_neighborhood* neighbors, const void* sent,
                                         const uint64_t* sent_bytes, const uint64_t* sent_offsets,
                                         void* received, const uint64_t* received_bytes,
                                         const uint64_t* received_offsets,
                                         upwash_persistent** made) {
  return prepared_by(neighbors, "upwash_neighbor_all_to_all_v_prepare", made,
                     [&](const outcome& to) {
                       all_to_all_v(*neighbors, {sent, sent_bytes, sent_offsets},
                                    {received, received_bytes, received_offsets}, to);
                     });
}

}  // extern "C"
