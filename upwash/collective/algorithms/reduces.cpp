// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/reduces.hpp"

#include <algorithm>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/collective/algorithms/detail/descent.hpp"
#include "upwash/collective/algorithms/detail/even_blocks.hpp"
#include "upwash/collective/algorithms/detail/latest_marks.hpp"
#include "upwash/collective/algorithms/detail/segments.hpp"
#include "upwash/schedule/part.hpp"

namespace upwash::collective {

using detail::cut;
using detail::descend;
using detail::descent;
using detail::even_blocks;
using detail::latest_marks;
using detail::segments;
using detail::tree_of_members;
using model::tree_place;
using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::part;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

std::uint64_t whole_elements(std::uint64_t segment, std::uint64_t bytes, std::uint64_t element) {
  if (segment == 0 || segment > bytes) segment = bytes;
  return std::max(segment - segment % element, element);
}

/// Segments on their way up a tree. Scratch holds some that came, and behind those, where the
/// output may not be used for it, what they are combined to: two sums, of which one goes up while
/// the next is made, or one where there are many children.
class ascent {
 public:
  /// `in_place`: all outputs are used. Each holds the rank's vector and then what its subtree makes
  /// of it.
  ascent(int ranks, int rank, int root, std::uint64_t bytes, std::uint32_t element_bytes,
         const reduction_tree& chosen, bool in_place);

  /// One segment.
  steps combine(script& out, std::uint64_t which);

  /// Where the latest segment's result is complete, at the root; elsewhere from where on its place
  /// in the output is free.
  [[nodiscard]] mark have() const noexcept { return have_; }
  [[nodiscard]] bool in_place() const noexcept { return in_place_; }
  [[nodiscard]] const cut& how() const noexcept { return how_; }
  /// No step waits for one of more than so many segments before: slots of few children are used
  /// again some segments later.
  [[nodiscard]] std::uint32_t segments_back() const noexcept;
  [[nodiscard]] std::uint32_t edges_a_segment() const noexcept { return edges_a_segment_; }
  [[nodiscard]] schedule::needs needs() const noexcept {
    return {.window = how_.segments() == 1 ? 8U : 24U,
            .scratch_bytes = (slots_ + sums_) * how_.segment_bytes,
            .edges_apart = edges_apart_};
  }

 private:
  static constexpr std::uint32_t most_slots = 4;

  /// The tree's root is rank 0, and behind it there is the root.
  [[nodiscard]] bool crosses() const noexcept { return here_.root() != root_; }
  [[nodiscard]] std::uint32_t edge(std::uint64_t which, int child) const noexcept {
    return static_cast<std::uint32_t>(which) * edges_a_segment_ +
           (edges_apart_ ? static_cast<std::uint32_t>(child) : 0U);
  }
  /// Where there are fewer slots than the most, each is used once.
  [[nodiscard]] piece slot(std::uint64_t which, int child, std::uint64_t bytes) const noexcept {
    const std::uint64_t number =
        which * static_cast<std::uint64_t>(here_.children()) + static_cast<std::uint64_t>(child);
    return {buffer::scratch, number % most_slots * how_.segment_bytes, bytes};
  }
  [[nodiscard]] piece sum(std::uint64_t which) const noexcept {
    const piece result = how_.segment(buffer::output, which);
    if (sums_ == 0) return result;
    const std::uint64_t place = slots_ + (sums_ == 2 ? which % 2 : 0);
    return {buffer::scratch, place * how_.segment_bytes, result.bytes};
  }

  // Pieces stay out of the frame.
  schedule::receive_step receive_from_child(script& out, std::uint64_t which, int child) const {
    const std::uint64_t bytes = how_.segment(buffer::output, which).bytes;
    return out.receive(here_.rank_of(here_.child(child).position), edge(which, child),
                       slot(which, child, bytes));
  }
  schedule::local_step add_child(script& out, std::uint64_t which, int child,
                                 const piece& to) const {
    return out.reduce(to, slot(which, child, to.bytes), sum(which));
  }
  [[nodiscard]] std::uint32_t crossing_edge(std::uint64_t which) const noexcept {
    return edge(which, static_cast<int>(edges_a_segment_) - 1);
  }
  schedule::send_step cross_to_root(script& out, std::uint64_t which) const {
    const piece result = how_.segment(buffer::output, which);
    return out.send(root_, crossing_edge(which), sum(which)).placed(result);
  }
  schedule::receive_step cross_from_first(script& out, std::uint64_t which) const {
    const piece result = how_.segment(buffer::output, which);
    return out.receive(here_.root(), crossing_edge(which), result).placed();
  }

  tree_place here_;
  int root_;
  bool is_root_;
  bool in_place_;
  bool edges_apart_;
  std::uint32_t edges_a_segment_;
  cut how_;
  std::uint32_t slots_;
  std::uint32_t sums_;
  mark have_ = never;
  latest_marks<most_slots> of_slots_;  ///< the steps that read each
  latest_marks<2> of_sums_;
};

ascent::ascent(int ranks, int rank, int root, std::uint64_t bytes, std::uint32_t element_bytes,
               const reduction_tree& chosen, bool in_place)
    : here_(chosen.shape, ranks, chosen.ordered ? 0 : root, rank),
      root_(root),
      is_root_(rank == root),
      in_place_(in_place),
      how_(cut::into(bytes, whole_elements(chosen.segment_bytes, bytes, element_bytes))) {
  // But for so many segments from so many children that edge numbers would run out.
  constexpr std::uint64_t most_edges = std::uint64_t{1} << 31U;
  const auto widest = static_cast<std::uint64_t>(tree_place::widest(chosen.shape, ranks));
  const std::uint64_t edges = std::max<std::uint64_t>(1, widest + (crosses() ? 1 : 0));
  edges_apart_ = edges * how_.segments() <= most_edges;
  edges_a_segment_ = edges_apart_ ? static_cast<std::uint32_t>(edges) : 1;
  const auto children = static_cast<std::uint64_t>(here_.children());
  slots_ =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(most_slots, children * how_.segments()));
  const bool in_output = in_place || (is_root_ && !crosses());
  const std::uint64_t sums = children == 0 || in_output ? 0 : children <= most_slots ? 2 : 1;
  sums_ = static_cast<std::uint32_t>(std::min(sums, how_.segments()));
  of_slots_ = latest_marks<most_slots>(slots_);
  of_sums_ = latest_marks<2>(sums_);
}

std::uint32_t ascent::segments_back() const noexcept {
  if (how_.segments() == 1 || here_.is_leaf()) return 0;
  if (here_.children() == 1) return most_slots;
  return here_.children() <= static_cast<int>(most_slots) ? 2 : 1;
}

steps ascent::combine(script& out, std::uint64_t which) {
  const auto round = static_cast<std::uint32_t>(which);
  const piece own = how_.segment(in_place_ ? buffer::output : buffer::input, which);
  const piece combined = sum(which);
  mark summed = never;
  for (int i = 0; i < here_.children(); ++i) {
    const mark came =
        co_yield receive_from_child(out, which, i).in_round(round).after(of_slots_.oldest());
    // It is of higher ranks than what is here, where the tree's root is rank 0.
    summed = co_yield add_child(out, which, i, i == 0 ? own : combined)
                 .in_round(round)
                 .after(came, i == 0 ? of_sums_.oldest() : summed);
    of_slots_.add(summed);
  }
  have_ = summed;
  mark sent = never;
  if (!here_.is_root()) {
    const piece& going = here_.is_leaf() ? own : combined;
    const std::uint32_t up = edge(which, here_.index());
    sent = co_yield out.send(here_.parent(), up, going).in_round(round).after(summed);
    have_ = in_place_ ? sent : never;
  } else if (here_.is_leaf() && !in_place_) {
    have_ = co_yield out.copy(own, combined);
  }
  if (crosses() && here_.is_root()) {
    sent = co_yield cross_to_root(out, which).in_round(round).after(summed);
  } else if (crosses() && is_root_) {
    co_yield cross_from_first(out, which).in_round(round);
  }
  if (sums_ != 0) of_sums_.add(sent);
}

steps reduce_up(script& out, ascent tree) {
  // Leaves hand over faster than those above combine, and once they have ended the rest goes
  // faster: a price that passes over segments at the pace of before is 4 % off.
  segments each(out, tree.how(), {.at_all = false});
  while (co_await each.next()) {
    part one(out, tree.combine(out, each.now()));
    co_await one.all();
  }
}

/// What `up` has combined goes down. In place outputs are not free on entry, but from where `up`
/// has read them on.
descent way_down(const ascent& up, std::uint64_t which, const tree_place& down) {
  const piece segment = up.how().segment(buffer::output, which);
  const tree_of_members tree{down};
  return {.how = {segment.offset, segment.bytes, std::max<std::uint64_t>(segment.bytes, 1)},
          .trees = {tree, tree},
          .placed = !up.in_place(),
          .from = up.have()};
}

/// Out of the frame: what the coroutine begins with.
steps begin_down(script& out, const ascent& up, std::uint64_t which, const tree_place& down) {
  return descend(out, way_down(up, which, down));
}

/// Edges down come behind all those up, so that rounds are not alike.
schedule::embedding beside(const ascent& up, std::uint64_t which) {
  const auto edges_up = static_cast<std::uint32_t>(up.how().segments()) * up.edges_a_segment();
  const auto round = static_cast<std::uint32_t>(which);
  return {.first_edge = edges_up + round, .first_round = round};
}

steps reduce_up_and_broadcast(script& out, ascent up, tree_place down) {
  segments each(out, up.how(), {.at_all = false});
  while (co_await each.next()) {
    {
      part rising(out, up.combine(out, each.now()));
      co_await rising.all();
    }
    part falling(out, begin_down(out, up, each.now(), down), beside(up, each.now()));
    co_await falling.all();
  }
}

/// In turn t block position - t goes on, block position - t - 1 comes and is combined. So block
/// p + 1 comes to its end at position p. Positions count from the root on.
steps ring(script& out, even_blocks blocks, int root, int position, bool in_place) {
  const int ranks = blocks.members;
  const auto rank_of = [=](std::int64_t at) { return wrapped(at + root, ranks); };
  const auto block = [=](buffer of, std::int64_t number) {
    return blocks.at(of, wrapped(number, ranks));
  };
  const auto slot = [=](int turn, std::uint64_t bytes) {
    return piece{buffer::scratch, static_cast<std::uint64_t>(turn % 2) * blocks.largest(), bytes};
  };
  if (ranks == 1) {
    co_yield out.copy(block(buffer::input, 0), block(buffer::output, 0));
    co_return;
  }
  mark combined = never;
  mark sent = never;
  for (int turn = 0; turn + 1 < ranks; ++turn) {
    const auto edge = static_cast<std::uint32_t>(turn);
    const std::int64_t number = std::int64_t{position} - turn;
    const mark sent_before = sent;
    piece going = block(buffer::input, number);
    if (turn != 0) going = slot(turn - 1, going.bytes);
    // So that the root knows by its last send that the first has gone too.
    sent = co_yield out.send(rank_of(std::int64_t{position} + 1), edge, going)
               .after(combined, in_place && position == 0 ? sent_before : never);
    const piece own = block(buffer::input, number - 1);
    const piece coming = slot(turn, own.bytes);
    // What was combined there two turns ago went on the turn before.
    const mark came = co_yield out.receive(rank_of(std::int64_t{position} - 1), edge, coming)
                          .after(turn < 2 ? never : sent_before);
    piece into = coming;
    if (position == 0 && turn + 2 == ranks) into = block(buffer::output, number - 1);
    combined = co_yield out.reduce(coming, own, into).in_round(edge).after(came);
  }
  const auto last = static_cast<std::uint32_t>(ranks - 1);
  const auto is_placed = [=](int from) { return !in_place || from + 1 != ranks; };
  if (position != 0) {
    const piece result = block(buffer::output, std::int64_t{position} + 1);
    const std::uint32_t edge = last + static_cast<std::uint32_t>(position);
    const auto going = out.send(root, edge, slot(ranks - 2, result.bytes));
    if (is_placed(position)) going.placed(result);
    co_yield going.in_round(last).after(combined);
    co_return;
  }
  // The root begins with the block that it sent itself.
  for (int from = ranks - 1; from > 0; --from) {
    const piece result = block(buffer::output, std::int64_t{from} + 1);
    const std::uint32_t edge = last + static_cast<std::uint32_t>(from);
    const auto coming = out.receive(rank_of(from), edge, result);
    if (is_placed(from)) coming.placed();
    co_yield coming.in_round(last);
  }
}

}  // namespace

generator tree_reduce(int ranks, int rank, int root, std::uint64_t bytes,
                      std::uint32_t element_bytes, const reduction_tree& chosen) {
  const ascent tree(ranks, rank, root, bytes, element_bytes, chosen, false);
  return {tree.needs(), [=](script& out) { return reduce_up(out, tree); }};
}

generator reduce_broadcast(int ranks, int rank, std::uint64_t bytes, std::uint32_t element_bytes,
                           const reduction_trees& chosen, bool in_place) {
  const tree_place down(chosen.down, ranks, 0, rank);
  // The recipe keeps the parameters: what goes up is larger.
  const auto up = [=] {
    return ascent(ranks, rank, 0, bytes, element_bytes,
                  {.shape = chosen.up, .segment_bytes = chosen.segment_bytes}, in_place);
  };
  const ascent rising = up();
  schedule::needs both = rising.needs();
  // Between segments of the way up lie those of the way down.
  const auto steps_down = 1 + static_cast<std::uint32_t>(down.children());
  both.window += way_down(rising, 0, down).window() + rising.segments_back() * steps_down;
  return {both, [=](script& out) { return reduce_up_and_broadcast(out, up(), down); }};
}

generator ring_reduce(int ranks, int rank, int root, std::uint64_t elements,
                      std::uint64_t element_bytes, bool in_place) {
  const even_blocks blocks{ranks, elements, element_bytes};
  const int position = wrapped(std::int64_t{rank} - root, ranks);
  // Scratch: a block comes and is combined while another goes.
  return {{.window = 4, .scratch_bytes = 2 * blocks.largest(), .edges_apart = true},
          [=](script& out) { return ring(out, blocks, root, position, in_place); }};
}

}  // namespace upwash::collective
