// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "upwash/collective/algorithms/one_round.hpp"
#include "upwash/collective/algorithms/shared_pieces.hpp"
#include "upwash/collective/algorithms/shared_reduces.hpp"
#include "upwash/collective/detail/tables/one_buffer.hpp"
#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective::detail {
namespace {

using model::values;
using schedule::generator;
using task = round_task;

template <task What, round_source From>
generator one_round_of(const problem& call, int rank, std::uint64_t read_weight) {
  constexpr bool for_two_buffers = What == task::gather || What == task::scatter;
  const auto made = [&](bool in_place) {
    return one_round(What, From, {call.ranks, rank, call.root, call.bytes, in_place, read_weight});
  };
  if constexpr (for_two_buffers) return in_one_buffer(call, rank, made(false));
  return made(is_in_place(call, rank));
}

template <task What, round_source From>
generator one_round_of(const problem& call, const values&, int rank) {
  return one_round_of<What, From>(call, rank, 1);
}

template <task What>
generator fetched_round_of(const problem& call, const values&, int rank) {
  return one_round_of<What, round_source::buffer>(call, rank, fetch_weight(call));
}

template <task What>
generator cached_round_of(const problem& call, const values&, int rank) {
  const std::uint64_t laid_out = contributed_bytes(What, call.ranks, call.bytes);
  return one_round_of<What, round_source::shared_scratch>(call, rank, scratch_weight(laid_out));
}

std::string too_large(std::string_view name, const problem& call, std::uint64_t bytes) {
  if (bytes <= call.shared_scratch) return {};
  return fmt::format("{}: {} bytes are more than the {} of shared scratch", name, bytes,
                     call.shared_scratch);
}

template <task What>
std::string too_large(const problem& call, const values&) {
  return too_large("shared", call, contributed_bytes(What, call.ranks, call.bytes));
}

template <task What>
void add_shared(registry& to, kind of) {
  to.add({.of = of,
          .is = {.name = "shared",
                 .parameters = {},
                 .requirements = model::needs_direct_access,
                 .doc = "each lays its part in shared scratch; who wants it takes it from there",
                 .source = "Nishtala et al. 2009, collectives on shared memory"},
          .make = one_round_of<What, round_source::shared_scratch>,
          .objection = too_large<What>,
          .priced_as = cached_round_of<What>});
}

template <task What>
std::string overwritten(const problem& call, const values&) {
  if (What != task::all_to_all || !call.in_place) return {};
  return "single_copy: in place the blocks that others read would be overwritten";
}

template <task What>
void add_single_copy(registry& to, kind of) {
  to.add({.of = of,
          .is = {.name = "single_copy",
                 .parameters = {},
                 .requirements = model::needs_direct_access,
                 .doc = "who wants a part takes it straight out of its owner's buffer",
                 .source = "Nishtala et al. 2009, collectives on shared memory"},
          .make = one_round_of<What, round_source::buffer>,
          .objection = overwritten<What>,
          .priced_as = fetched_round_of<What>});
}

template <task What>
void add_both(registry& to, kind of) {
  add_shared<What>(to, of);
  add_single_copy<What>(to, of);
}

std::string too_large_segments(const problem& call, const values&) {
  return too_large("shared_segments", call,
                   shared_segments_bytes(call.ranks, call.bytes, call.element_bytes));
}

template <bool Rooted>
generator segments_of(const problem& call, const values&, int rank) {
  return shared_segments({call.ranks, rank, Rooted ? call.root : shared_segments_call::all,
                          call.bytes, call.element_bytes, is_in_place(call, rank)});
}

template <bool Rooted>
void add_segments(registry& to, kind of) {
  to.add({.of = of,
          .is = {.name = "shared_segments",
                 .parameters = {},
                 .requirements = model::needs_direct_access,
                 .doc = "each combines a segment of all vectors in shared scratch",
                 .source = "Nishtala et al. 2009, collectives on shared memory"},
          .make = segments_of<Rooted>,
          .objection = too_large_segments});
}

/// So much of a peer's vector at a time: it stays in the cache until it is combined, and is worth
/// the call of the system that fetches it.
constexpr std::uint64_t piece_bytes = std::uint64_t{64} << 10U;

generator peer_segments_of(const problem& call, int rank, std::uint64_t fetch_weight) {
  return peer_segments(
      {call.ranks, rank, call.bytes, call.element_bytes, piece_bytes, call.in_place, fetch_weight});
}

generator peer_segments_of(const problem& call, const values&, int rank) {
  return peer_segments_of(call, rank, 1);
}

/// A system looks up each page of a peer's private memory: measured, a byte out of it takes three
/// times as long as one out of shared memory, and twice where caches do not hold either.
generator fetched_segments_of(const problem& call, const values&, int rank) {
  return peer_segments_of(call, rank, scratch_weight(call.bytes) == 1 ? 3 : 2);
}

void add_peer_segments(registry& to) {
  to.add({.of = kind::all_reduce,
          .is = {.name = "single_copy",
                 .parameters = {},
                 .requirements = model::needs_direct_access,
                 .doc = "each combines a segment straight out of all vectors, and all copy those",
                 .source = "Rabenseifner 2004; Jin et al. 2005 (copies out of peers' buffers)"},
          .make = peer_segments_of,
          .priced_as = fetched_segments_of});
}

constexpr model::parameter piece_parameter(std::uint64_t initial) {
  return {.name = "piece",
          .least = 1,
          .most = most_bytes,
          .initial = initial,
          .doc = "bytes that a member lays out at a time, as far as there is room",
          .tries = model::trial::none};
}
/// Measured: with shorter pieces the waits count, with longer ones the caches are too small.
constexpr model::parameter pieces_parameters[] = {piece_parameter(std::uint64_t{256} << 10U)};
constexpr model::parameter pairs_parameters[] = {piece_parameter(std::uint64_t{128} << 10U)};

/// Of whole elements; not longer than the vector, or than what there is room for.
template <task What>
std::uint64_t piece_of(const problem& call, std::uint64_t wanted) {
  const std::uint64_t elements = std::max<std::uint64_t>(
      std::min(wanted, call.bytes + call.element_bytes - 1) / call.element_bytes, 1);
  return std::min(elements * call.element_bytes,
                  largest_piece(What, call.ranks, call.element_bytes, call.shared_scratch));
}

template <task What>
generator in_pieces_of(const problem& call, std::uint64_t each, int rank) {
  const auto made = [&](bool in_place) {
    const pieces_call pieces{
        {call.ranks, rank, call.root, call.bytes, in_place}, call.element_bytes, each};
    return What == task::all_to_all ? shared_pairs(pieces) : shared_pieces(What, pieces);
  };
  if constexpr (What == task::gather) return in_one_buffer(call, rank, made(false));
  return made(is_in_place(call, rank));
}

template <task What>
generator pieces_of(const problem& call, const values& with, int rank) {
  return in_pieces_of<What>(call, piece_of<What>(call, with[0]), rank);
}

/// More pieces cost in proportion. Vectors that are combined are priced as four pieces at least:
/// measured, what does not go in pieces is ahead of fewer by so much.
template <task What>
generator few_pieces_of(const problem& call, const values& with, int rank) {
  constexpr std::uint64_t most = What == task::all_to_all ? 2 : 16;
  constexpr std::uint64_t least = What >= task::reduce ? 4 : 1;
  const auto one_of = [&](std::uint64_t pieces) {
    const std::uint64_t elements = call.bytes / call.element_bytes;
    return std::max<std::uint64_t>((elements + pieces - 1) / pieces, 1) * call.element_bytes;
  };
  const std::uint64_t each = std::max(piece_of<What>(call, with[0]), one_of(most));
  return in_pieces_of<What>(call, std::min(each, one_of(least)), rank);
}

template <task What>
std::string no_piece(const problem& call, const values& with) {
  if (piece_of<What>(call, with[0]) != 0) return {};
  return fmt::format("shared_pieces: {} bytes of shared scratch have no room for an element",
                     call.shared_scratch);
}

template <task What>
void add_pieces(registry& to, kind of) {
  to.add({.of = of,
          .is = {.name = "shared_pieces",
                 .parameters = What == task::all_to_all ? pairs_parameters : pieces_parameters,
                 .requirements = model::needs_direct_access,
                 .doc = "goes through shared scratch in pieces, which are read from the cache",
                 .source = "Nishtala et al. 2009, collectives on shared memory"},
          .make = pieces_of<What>,
          .objection = no_piece<What>,
          .priced_as = few_pieces_of<What>});
}

}  // namespace

void add_shared_memory(registry& to) {
  add_both<task::broadcast>(to, kind::broadcast);
  add_both<task::scatter>(to, kind::scatter);
  add_both<task::gather>(to, kind::gather);
  add_both<task::all_gather>(to, kind::all_gather);
  add_both<task::all_to_all>(to, kind::all_to_all);
  add_both<task::reduce>(to, kind::reduce);
  add_shared<task::all_reduce>(to, kind::all_reduce);
  add_segments<true>(to, kind::reduce);
  add_segments<false>(to, kind::all_reduce);
  add_peer_segments(to);
  add_shared<task::reduce_scatter>(to, kind::reduce_scatter);
  add_shared<task::scan>(to, kind::scan);
  add_shared<task::exclusive_scan>(to, kind::exclusive_scan);
  add_pieces<task::broadcast>(to, kind::broadcast);
  add_pieces<task::gather>(to, kind::gather);
  add_pieces<task::all_gather>(to, kind::all_gather);
  add_pieces<task::all_to_all>(to, kind::all_to_all);
  add_pieces<task::reduce>(to, kind::reduce);
  add_pieces<task::all_reduce>(to, kind::all_reduce);
}

}  // namespace upwash::collective::detail
