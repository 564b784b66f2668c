// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/all_to_alls_v.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "upwash/base/error.hpp"
#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/collective/algorithms/detail/given_blocks.hpp"
#include "upwash/collective/algorithms/detail/latest_marks.hpp"

namespace upwash::collective {

using detail::block_for;
using detail::block_from;
using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::piece;
using schedule::script;
using schedule::slots;
using schedule::steps;

namespace {

steps staged(script& out, int ranks, int rank, bool paired, int ahead) {
  detail::check_given_blocks(out, "all_to_all_v", ranks);
  co_yield out.copy(block_for(out, rank), block_from(out, rank));
  detail::latest_marks<most_stages_ahead> came(ahead == 0 ? 1U : static_cast<std::uint32_t>(ahead));
  for (int stage = 1; stage < ranks; ++stage) {
    const auto edge = static_cast<std::uint32_t>(stage - 1);
    const int to = paired ? rank ^ stage : wrapped(std::int64_t{rank} + stage, ranks);
    const int from = paired ? rank ^ stage : wrapped(std::int64_t{rank} - stage, ranks);
    const mark before = ahead == 0 ? schedule::never : came.oldest();
    co_yield out.send(to, edge, block_for(out, to)).after(before);
    came.add(co_yield out.receive(from, edge, block_from(out, from)));
  }
}

/// The slots of Bruck's exchange: for each distance the length of the block that is here, and where
/// it lies in scratch; then the lengths that go in a round, and those that come.
class bruck_slots {
 public:
  explicit bruck_slots(int ranks) : ranks_(static_cast<std::uint32_t>(ranks)) {}
  [[nodiscard]] std::uint32_t count() const { return 4 * ranks_; }
  [[nodiscard]] std::uint64_t& length(const script& in, int distance) const {
    return in.words()[static_cast<std::size_t>(distance)];
  }
  [[nodiscard]] std::uint64_t& place(const script& in, int distance) const {
    return in.words()[ranks_ + static_cast<std::size_t>(distance)];
  }
  [[nodiscard]] slots going(int blocks) const {
    return {2 * ranks_, static_cast<std::uint32_t>(blocks)};
  }
  [[nodiscard]] slots coming(int blocks) const {
    return {3 * ranks_, static_cast<std::uint32_t>(blocks)};
  }
  /// What was input until it went its first bit lies there still.
  [[nodiscard]] piece block(const script& in, int distance, int rank, int lowest_bit) const {
    if ((distance & -distance) >= lowest_bit) {
      return block_for(in, wrapped(std::int64_t{rank} + distance, static_cast<int>(ranks_)));
    }
    return {buffer::scratch, place(in, distance), length(in, distance)};
  }

 private:
  std::uint32_t ranks_;
};

int with_bit(int bit, int ranks) {
  int blocks = 0;
  for (int d = bit; d < ranks; ++d) blocks += (d & bit) != 0 ? 1 : 0;
  return blocks;
}

/// The lengths of a round's blocks, to be sent. Returns their sum.
std::uint64_t note_going(const script& in, const bruck_slots& here, int ranks, int rank, int bit) {
  std::uint64_t sum = 0;
  std::uint32_t at = here.going(0).first;
  for (int d = bit; d < ranks; ++d) {
    if ((d & bit) == 0) continue;
    in.words()[at] = here.block(in, d, rank, bit).bytes;
    sum += in.words()[at++];
  }
  return sum;
}

/// From now on the blocks of a round are those that come, from scratch `begin` on. Returns their
/// sum.
std::uint64_t note_coming(const script& in, const bruck_slots& here, int ranks, int bit,
                          std::uint64_t begin) {
  std::uint64_t end = begin;
  std::uint32_t at = here.coming(0).first;
  for (int d = bit; d < ranks; ++d) {
    if ((d & bit) == 0) continue;
    here.length(in, d) = in.words()[at++];
    here.place(in, d) = end;
    end += here.length(in, d);
  }
  return end - begin;
}

/// What must come, by the caller's word.
void check_length(const script& in, const piece& came, int from, int rank) {
  const std::uint64_t wanted = block_from(in, from).bytes;
  if (came.bytes == wanted) return;
  throw error(error_kind::fault,
              fmt::format("all_to_all_v: member {} sends {} bytes to member {}, which expects {}",
                          from, came.bytes, rank, wanted));
}

/// Scratch keeps all that came; what goes in a round is packed behind it.
steps bruck(script& out, int ranks, int rank) {
  detail::check_given_blocks(out, "all_to_all_v", ranks);
  const bruck_slots here(ranks);
  co_yield out.copy(block_for(out, rank), block_from(out, rank));
  std::uint64_t top = 0;
  std::uint32_t edge = 0;
  for (int bit = 1; bit < ranks; bit *= 2) {
    const int blocks = with_bit(bit, ranks);
    const int to = wrapped(std::int64_t{rank} + bit, ranks);
    const int from = wrapped(std::int64_t{rank} - bit, ranks);
    const std::uint64_t going = note_going(out, here, ranks, rank, bit);
    co_yield out.send(to, edge, {}).with_header(here.going(blocks));
    co_yield out.receive(from, edge, {}).with_header(here.coming(blocks));
    co_yield out.stage();  // their lengths are here, and what came before
    std::uint64_t coming = 0;
    for (int i = 0; i < blocks; ++i) {
      coming += out.words()[here.coming(0).first + static_cast<std::uint32_t>(i)];
    }
    co_yield out.grow(top + coming + going);
    std::uint64_t packed = top + coming;
    for (int d = bit; d < ranks; ++d) {
      if ((d & bit) == 0) continue;
      const piece block = here.block(out, d, rank, bit);
      co_yield out.copy(block, piece{buffer::scratch, packed, block.bytes});
      packed += block.bytes;
    }
    co_yield out.send(to, edge + 1, piece{buffer::scratch, top + coming, going}).after_all();
    co_yield out.receive(from, edge + 1, piece{buffer::scratch, top, coming});
    co_yield out.stage();  // the words of blocks that go are free now
    top += note_coming(out, here, ranks, bit, top);
    edge += 2;
  }
  for (int d = 1; d < ranks; ++d) {
    const int source = wrapped(std::int64_t{rank} - d, ranks);
    const piece came{buffer::scratch, here.place(out, d), here.length(out, d)};
    check_length(out, came, source, rank);
    co_yield out.copy(came, block_from(out, source));
  }
}

}  // namespace

generator staged_all_to_all_v(int ranks, int rank, bool paired, int ahead) {
  const int stages = std::min(ahead, most_stages_ahead);
  // Steps wait for one of the last few; the rest is room for messages to overlap.
  return {{.window = 64, .edges_apart = true, .given = true},
          [=](script& out) { return staged(out, ranks, rank, paired, stages); }};
}

generator bruck_all_to_all_v(int ranks, int rank) {
  return {{.window = 32, .slots = bruck_slots(ranks).count(), .edges_apart = true, .given = true},
          [=](script& out) { return bruck(out, ranks, rank); }};
}

}  // namespace upwash::collective
