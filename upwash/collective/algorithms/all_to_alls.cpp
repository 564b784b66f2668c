// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/all_to_alls.hpp"

#include <algorithm>
#include <bit>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/collective/algorithms/detail/dissemination.hpp"
#include "upwash/collective/algorithms/detail/folded_cube.hpp"

namespace upwash::collective {

using detail::dissemination;
using schedule::buffer;
using schedule::generator;
using schedule::local_step;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

std::uint64_t wide(std::int64_t number) noexcept { return static_cast<std::uint64_t>(number); }

/// Scratch: a slot for the block of each way to go, then what a round sends, and what it receives.
struct bruck_scratch {
  int ranks;
  std::uint64_t bytes;
  std::int64_t area;  ///< slots that one round sends, at most

  bruck_scratch(int of, std::uint64_t each, int radix) : ranks(of), bytes(each), area(0) {
    for (std::int64_t d = 1; d < ranks; d *= radix) {
      const std::int64_t stay = ranks / (d * radix) * d + std::min(ranks % (d * radix), d);
      area = std::max(area, ranks - stay);
    }
  }
  [[nodiscard]] std::uint64_t all() const noexcept { return wide(ranks + 2 * area) * bytes; }
  [[nodiscard]] piece slots(std::int64_t first, std::int64_t count) const noexcept {
    return {buffer::scratch, wide(first) * bytes, wide(count) * bytes};
  }
  [[nodiscard]] piece sent(std::int64_t first, std::int64_t count) const noexcept {
    return slots(ranks + first, count);
  }
  [[nodiscard]] piece received(std::int64_t first, std::int64_t count) const noexcept {
    return slots(ranks + area + first, count);
  }
};

steps bruck(script& out, bruck_scratch at, int rank, int radix) {
  const std::int64_t ranks = at.ranks;
  const std::uint64_t own = wide(rank) * at.bytes;
  // Copies run one after the other. Slot x: what is to go x ranks ahead.
  const piece to_the_last = at.slots(0, ranks - rank);
  mark copied = co_yield out.copy({buffer::input, own, to_the_last.bytes}, to_the_last);
  copied = co_yield out.copy({buffer::input, 0, own}, at.slots(ranks - rank, rank)).after(copied);
  std::uint32_t last_round = 0;
  for (dissemination turn(at.ranks, rank, radix); !turn.ended();) {
    const std::uint32_t round = last_round = turn.round();
    const std::int64_t distance = turn.distance();
    std::int64_t packed = 0;
    do {
      const std::int64_t before = packed;
      for (std::int64_t slot = turn.reach(); slot < ranks; slot += distance * radix) {
        const std::int64_t run = std::min(distance, ranks - slot);
        copied = co_yield out.copy(at.slots(slot, run), at.sent(packed, run))
                     .in_round(round)
                     .after(copied);
        packed += run;
      }
      const std::int64_t count = packed - before;
      co_yield out.send(turn.ahead(), turn.edge(), at.sent(before, count))
          .in_round(round)
          .after(copied);
      co_yield out.receive(turn.behind(), turn.edge(), at.received(before, count))
          .in_round(round)
          .after(round == 0 ? never : copied);  // what came before was unpacked
      turn.next();
    } while (!turn.begins_round());
    std::int64_t unpacked = 0;
    for (int digit = 1; digit < radix && digit * distance < ranks; ++digit) {
      for (std::int64_t slot = digit * distance; slot < ranks; slot += distance * radix) {
        const std::int64_t run = std::min(distance, ranks - slot);
        const local_step back =
            out.copy(at.received(unpacked, run), at.slots(slot, run)).in_round(round);
        const local_step ordered = unpacked == 0 ? back.after_all() : back.after(copied);
        copied = co_yield ordered;
        unpacked += run;
      }
    }
  }
  for (int slot = 0; slot < at.ranks; ++slot) {
    // What has gone x ranks comes from the rank x before.
    const auto source = wide(wrapped(std::int64_t{rank} - slot, at.ranks));
    copied = co_yield out.copy(at.slots(slot, 1), {buffer::output, source * at.bytes, at.bytes})
                 .in_round(last_round)
                 .after(copied);
  }
}

/// Ranks that follow each other.
struct range {
  int first = 0;
  int behind = 0;
  [[nodiscard]] std::uint64_t count() const noexcept { return wide(behind - first); }
};

/// A vertex holds a row of blocks for each source, first its own. Rows that came in stage s lie in
/// the message of stage s, each with the blocks for the ranks that were left then. Scratch: what
/// the folded rank had, what is sent, then what comes in each stage.
struct cube_rows {
  detail::folded_cube cube;
  int ranks;
  int rank;
  std::uint64_t bytes;

  [[nodiscard]] int vertex() const noexcept { return cube.vertex_of(rank); }
  [[nodiscard]] bool has_folded() const noexcept { return cube.has_folded(vertex()); }
  [[nodiscard]] std::uint64_t all_bytes() const noexcept { return wide(ranks) * bytes; }
  [[nodiscard]] std::uint64_t of_folded() const noexcept { return has_folded() ? all_bytes() : 0; }
  [[nodiscard]] int partner(int stage) const noexcept {
    return vertex() ^ (1 << (cube.dimensions() - 1 - stage));
  }
  /// Whom a vertex still works for before a stage.
  [[nodiscard]] range left_to(int of, int stage) const noexcept {
    const int free_bits = cube.dimensions() - stage;
    const int least = of >> free_bits << free_bits;
    return {cube.rank_of(least), cube.rank_of(least + (1 << free_bits))};
  }
  /// From one end of a stage to the other.
  [[nodiscard]] std::uint64_t message_bytes(int from, int to, int stage) const noexcept {
    const std::uint64_t rows = wide(cube.ranks_alike(from, 1 << (cube.dimensions() - stage)));
    return rows * left_to(to, stage + 1).count() * bytes;
  }
  [[nodiscard]] std::uint64_t message_at(int stage) const noexcept {
    std::uint64_t most = of_folded();
    for (int s = 0; s < cube.dimensions(); ++s) {
      most = std::max(most, message_bytes(vertex(), partner(s), s));
    }
    std::uint64_t at = of_folded() + most;
    for (int s = 0; s < stage; ++s) at += message_bytes(partner(s), vertex(), s);
    return at;
  }
};

/// Goes through the rows.
class row_walk {
 public:
  explicit row_walk(const cube_rows& of) : of_(of) {}

  [[nodiscard]] int number() const noexcept { return row_; }
  void next() noexcept {
    ++in_message_;
    of_folded_ = !of_folded_ && of_.cube.has_folded(source_vertex());
    if (of_folded_) return;
    ++row_;
    if (std::has_single_bit(static_cast<unsigned>(row_))) in_message_ = 0;
  }
  [[nodiscard]] int source() const noexcept {
    return of_.cube.rank_of(source_vertex()) + (of_folded_ ? 1 : 0);
  }
  /// The blocks of the row for some of the ranks that are left.
  [[nodiscard]] piece blocks_for(const range& ranks) const noexcept {
    const std::uint64_t bytes = ranks.count() * of_.bytes;
    if (row_ == 0) {
      return {of_folded_ ? buffer::scratch : buffer::input, wide(ranks.first) * of_.bytes, bytes};
    }
    const int stage = static_cast<int>(std::bit_width(static_cast<unsigned>(row_))) - 1;
    const range then = of_.left_to(of_.vertex(), stage + 1);
    const std::uint64_t block = in_message_ * then.count() + wide(ranks.first - then.first);
    return {buffer::scratch, of_.message_at(stage) + block * of_.bytes, bytes};
  }

 private:
  /// Bit s of a row's number says whether it came over the dimension of stage s.
  [[nodiscard]] int source_vertex() const noexcept {
    int vertex = of_.vertex();
    for (int s = 0; s < of_.cube.dimensions(); ++s) {
      if (((row_ >> s) & 1) != 0) vertex ^= 1 << (of_.cube.dimensions() - 1 - s);
    }
    return vertex;
  }

  const cube_rows& of_;
  int row_ = 0;                   ///< number of the vertex that the row is from
  bool of_folded_ = false;        ///< the row is of that vertex's folded rank
  std::uint64_t in_message_ = 0;  ///< rows before this in its message
};

steps beside_cube(script& out, cube_rows of) {
  const auto last = static_cast<std::uint32_t>(1 + of.cube.dimensions());
  co_yield out.send(of.rank - 1, 0, {buffer::input, 0, of.all_bytes()});
  co_yield out.receive(of.rank - 1, last, {buffer::output, 0, of.all_bytes()}).placed();
}

steps over_cube(script& out, cube_rows of) {
  if (of.has_folded()) {
    co_yield out.receive(of.rank + 1, 0, {buffer::scratch, 0, of.all_bytes()});
  }
  const int vertex = of.vertex();
  const std::uint32_t folds = of.cube.folded() == 0 ? 0 : 1;
  mark copied = never;
  bool joins = of.has_folded();  // the next copy waits for all before, the others for it
  std::uint32_t round = folds;
  for (int stage = 0; stage < of.cube.dimensions(); ++stage, ++round) {
    const int other = of.partner(stage);
    const range there = of.left_to(other, stage + 1);
    std::uint64_t packed = 0;
    for (row_walk row(of); row.number() < 1 << stage; row.next()) {
      const piece blocks = row.blocks_for(there);
      const piece into{buffer::scratch, of.of_folded() + packed, blocks.bytes};
      const local_step step = out.copy(blocks, into).in_round(round);
      const local_step ordered = joins ? step.after_all() : step.after(copied);
      copied = co_yield ordered;
      joins = false;
      packed += blocks.bytes;
    }
    const int peer = of.cube.rank_of(other);
    co_yield out.send(peer, round, {buffer::scratch, of.of_folded(), packed}).after(copied);
    const std::uint64_t length = of.message_bytes(other, vertex, stage);
    co_yield out.receive(peer, round, {buffer::scratch, of.message_at(stage), length});
    joins = true;
  }
  // Of each row the block for this rank to its place, the one for the folded rank to its message.
  for (row_walk row(of); row.number() < of.cube.vertices(); row.next()) {
    const std::uint64_t place = wide(row.source()) * of.bytes;
    const piece own = row.blocks_for({of.rank, of.rank + 1});
    const local_step step = out.copy(own, {buffer::output, place, of.bytes}).in_round(round);
    const local_step ordered = joins ? step.after_all() : step.after(copied);
    copied = co_yield ordered;
    joins = false;
    if (!of.has_folded()) continue;
    const piece beside = row.blocks_for({of.rank + 1, of.rank + 2});
    copied = co_yield out.copy(beside, {buffer::scratch, of.all_bytes() + place, of.bytes})
                 .in_round(round)
                 .after(copied);
  }
  if (!of.has_folded()) co_return;
  const piece result{buffer::output, 0, of.all_bytes()};
  co_yield out.send(of.rank + 1, round, {buffer::scratch, of.all_bytes(), of.all_bytes()})
      .placed(result.of_rank(of.rank + 1))
      .after(copied);
}

}  // namespace

generator bruck_all_to_all(int ranks, int rank, std::uint64_t bytes, int radix) {
  const bruck_scratch at(ranks, bytes, radix);
  // Steps wait for one of the last few; the rest is room for messages to overlap.
  return {{.window = 64, .scratch_bytes = at.all(), .edges_apart = true, .alike = true},
          [=](script& out) { return bruck(out, at, rank, radix); }};
}

generator hypercube_all_to_all(int ranks, int rank, std::uint64_t bytes) {
  const cube_rows of{detail::folded_cube(ranks), ranks, rank, bytes};
  const bool folded = of.cube.is_folded(rank);
  return {{.window = 4,
           .scratch_bytes = folded ? 0 : of.message_at(of.cube.dimensions()),
           .edges_apart = true,
           .alike = of.cube.folded() == 0},
          [=](script& out) { return folded ? beside_cube(out, of) : over_cube(out, of); }};
}

}  // namespace upwash::collective
