// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "upwash/collective/algorithms/one_round.hpp"
#include "upwash/collective/algorithms/shared_reduces.hpp"
#include "upwash/collective/detail/tables/one_buffer.hpp"
#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective::detail {
namespace {

using model::values;
using schedule::generator;
using task = round_task;

template <task What, round_source From>
generator one_round_of(const problem& call, const values&, int rank) {
  constexpr bool for_two_buffers = What == task::gather || What == task::scatter;
  const auto made = [&](bool in_place) {
    return one_round(What, From, {call.ranks, rank, call.root, call.bytes, in_place});
  };
  if constexpr (for_two_buffers) return in_one_buffer(call, rank, made(false));
  return made(is_in_place(call, rank));
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
          .objection = too_large<What>});
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
          .objection = overwritten<What>});
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

/// A system looks up each page of a peer's private memory: measured, a byte out of it takes two to
/// three times as long as one out of shared memory.
constexpr std::uint64_t fetch_weight = 3;

template <std::uint64_t Weight>
generator peer_segments_of(const problem& call, const values&, int rank) {
  return peer_segments(
      {call.ranks, rank, call.bytes, call.element_bytes, piece_bytes, call.in_place, Weight});
}

void add_peer_segments(registry& to) {
  to.add({.of = kind::all_reduce,
          .is = {.name = "single_copy",
                 .parameters = {},
                 .requirements = model::needs_direct_access,
                 .doc = "each combines a segment straight out of all vectors, and all copy those",
                 .source = "Rabenseifner 2004; Jin et al. 2005 (copies out of peers' buffers)"},
          .make = peer_segments_of<1>,
          .priced_as = peer_segments_of<fetch_weight>});
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
}

}  // namespace upwash::collective::detail
