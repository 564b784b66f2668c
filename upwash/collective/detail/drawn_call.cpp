// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/drawn_call.hpp"

#include <algorithm>
#include <cstddef>

#include "upwash/base/random.hpp"

namespace upwash::collective::detail {

using schedule::abstract_value;
using schedule::rank_call;

namespace {

std::size_t wide(int number) noexcept { return static_cast<std::size_t>(number); }

abstract_value element_of(int rank, std::uint64_t element) {
  return {{rank, static_cast<std::uint32_t>(element)}};
}

/// One of three lengths is 0.
std::uint64_t draw_length(random_stream& random, std::uint64_t mean) {
  return random.below(3) == 0 ? 0 : random.below(2 * mean + 1);
}

/// Blocks in one vector, in elements.
struct placed_blocks {
  std::vector<std::uint64_t> lengths;
  std::vector<std::uint64_t> offsets;
  std::uint64_t elements = 0;
};

placed_blocks place(std::vector<std::uint64_t> lengths, random_stream& random, bool packed) {
  placed_blocks made;
  made.lengths = std::move(lengths);
  made.offsets.resize(made.lengths.size());
  for (std::size_t i = 0; i < made.lengths.size(); ++i) {
    const std::size_t at = packed ? i : made.lengths.size() - 1 - i;
    if (!packed) made.elements += random.below(3);
    made.offsets[at] = made.elements;
    made.elements += made.lengths[at];
  }
  return made;
}

void counted_buffers(const problem& call, const placed_blocks& all, int rank, rank_call& mine) {
  const family& of = call.of.facts();
  const std::uint64_t width = call.element_bytes;
  const std::uint64_t own = all.lengths[wide(rank)] * width;
  const std::uint64_t whole = all.elements * width;
  const bool at_root = rank == call.root;
  const bool gathers = of.output == extent::each;
  mine.input_bytes = gathers ? own : of.at_root == rooted::neither || at_root ? whole : 0;
  mine.output_bytes = !gathers ? own : of.at_root == rooted::neither || at_root ? whole : 0;
  if (call.in_place) mine.in_place_at = all.offsets[wide(rank)] * width;
}

/// What the rank's output holds: all blocks where they lie, or its own, combined or the root's.
std::vector<abstract_value> counted_result(const problem& call, const placed_blocks& all,
                                           int rank) {
  const family& of = call.of.facts();
  std::vector<abstract_value> result;
  if (of.output == extent::each) {
    if (of.at_root == rooted::output && rank != call.root) return result;
    result.resize(all.elements);
    for (int owner = 0; owner < call.ranks; ++owner) {
      for (std::uint64_t e = 0; e < all.lengths[wide(owner)]; ++e) {
        result[all.offsets[wide(owner)] + e] = element_of(owner, e);
      }
    }
    return result;
  }
  for (std::uint64_t e = 0; e < all.lengths[wide(rank)]; ++e) {
    const std::uint64_t at = all.offsets[wide(rank)] + e;
    abstract_value& is = result.emplace_back();
    if (!of.combines) {
      is = element_of(call.root, at);
      continue;
    }
    for (int r = 0; r < call.ranks; ++r) is.push_back({r, static_cast<std::uint32_t>(at)});
  }
  return result;
}

/// gather_v, scatter_v, all_gather_v, reduce_scatter_v.
void draw_counted(const problem& call, random_stream& random, bool packed, drawn_call& made) {
  made.of.element_bytes = call.element_bytes;
  const std::uint64_t mean = call.bytes / call.element_bytes;
  std::vector<std::uint64_t> lengths(wide(call.ranks));
  for (std::uint64_t& each : lengths) each = draw_length(random, mean);
  const placed_blocks all = place(std::move(lengths), random, packed);
  const bool root_only = call.of.facts().at_root != rooted::neither;
  for (int rank = 0; rank < call.ranks; ++rank) {
    rank_call& mine = made.of.calls[wide(rank)];
    if (!root_only || rank == call.root) {
      mine.given[0] = all.lengths;
      if (!packed) mine.given[1] = all.offsets;
    }
    counted_buffers(call, all, rank, mine);
    made.wanted[wide(rank)] = counted_result(call, all, rank);
  }
}

/// all_to_all_v: bytes and offsets of what goes to each member, and of what comes from it.
void draw_pairs(const problem& call, random_stream& random, bool packed, drawn_call& made) {
  std::vector<placed_blocks> out;
  std::vector<placed_blocks> in;
  std::vector<std::vector<std::uint64_t>> bytes(wide(call.ranks));
  for (auto& row : bytes) {
    for (int to = 0; to < call.ranks; ++to) row.push_back(draw_length(random, call.bytes));
  }
  for (int rank = 0; rank < call.ranks; ++rank) {
    std::vector<std::uint64_t> comes;
    for (const auto& row : bytes) comes.push_back(row[wide(rank)]);
    out.push_back(place(bytes[wide(rank)], random, packed));
    in.push_back(place(std::move(comes), random, packed));
  }
  for (int rank = 0; rank < call.ranks; ++rank) {
    rank_call& mine = made.of.calls[wide(rank)];
    const placed_blocks& to = out[wide(rank)];
    const placed_blocks& from = in[wide(rank)];
    mine.given = {to.lengths, to.offsets, from.lengths, from.offsets};
    mine.input_bytes = to.elements;
    mine.output_bytes = from.elements;
    auto& result = made.wanted[wide(rank)];
    result.resize(from.elements);
    for (int source = 0; source < call.ranks; ++source) {
      const std::uint64_t begin = out[wide(source)].offsets[wide(rank)];
      for (std::uint64_t e = 0; e < from.lengths[wide(source)]; ++e) {
        result[from.offsets[wide(source)] + e] = element_of(source, begin + e);
      }
    }
  }
}

/// many_to_many and its multicast: destinations, bytes and offsets, and who sends to the rank.
void draw_messages(const problem& call, random_stream& random, drawn_call& made) {
  const bool whole_input = call.of == kind::many_to_many_multicast;
  for (int source = 0; source < call.ranks; ++source) {
    rank_call& from = made.of.calls[wide(source)];
    const std::uint64_t buffer = draw_length(random, call.bytes);
    from.input_bytes = buffer;
    for (std::uint64_t left = random.below(5); left > 0; --left) {
      const auto to = static_cast<int>(random.below(static_cast<std::uint64_t>(call.ranks)));
      const std::uint64_t bytes = whole_input ? buffer : random.below(buffer + 1);
      const std::uint64_t at = random.below(buffer - bytes + 1);
      from.given[0].push_back(static_cast<std::uint64_t>(to));
      if (!whole_input) {
        from.given[1].push_back(bytes);
        from.given[2].push_back(at);
      }
      rank_call& there = made.of.calls[wide(to)];
      if (call.known_senders) there.given[3].push_back(static_cast<std::uint64_t>(source));
      schedule::collected_message& comes = there.collected.emplace_back();
      comes.source = source;
      for (std::uint64_t e = at; e < at + bytes; ++e) comes.values.push_back(element_of(source, e));
    }
  }
}

}  // namespace

bool can_draw(kind of) noexcept {
  return of.facts().told == lengths::counted || of == kind::all_to_all_v ||
         of == kind::many_to_many || of == kind::many_to_many_multicast;
}

bool can_be_in_place(kind of) noexcept { return of == kind::all_gather_v; }

drawn_call draw(const problem& call, std::uint64_t seed) {
  drawn_call made;
  made.of.ranks = call.ranks;
  made.of.commutative = call.commutative;
  made.of.calls.resize(wide(call.ranks));
  made.wanted.resize(wide(call.ranks));
  random_stream random(seed, static_cast<std::uint64_t>(call.ranks));
  const bool packed = seed % 2 == 0;
  if (call.of.facts().told == lengths::counted) {
    draw_counted(call, random, packed, made);
  } else if (call.of == kind::all_to_all_v) {
    draw_pairs(call, random, packed, made);
  } else {
    draw_messages(call, random, made);
  }
  return made;
}

}  // namespace upwash::collective::detail
