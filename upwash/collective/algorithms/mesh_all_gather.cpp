// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/mesh_all_gather.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

namespace {

std::uint64_t wide(int number) noexcept { return static_cast<std::uint64_t>(number); }

}  // namespace

std::uint64_t mesh_all_gather::scratch_bytes() const noexcept {
  if (turn_.on().full()) return 0;
  std::uint64_t blocks = 0;
  for (detail::mesh_turn t = turn_; t.phase() < t.on().dimensions(); t.next_phase()) {
    blocks += wide(t.senders()) * detail::most_sources(t.on(), t.phase());
  }
  return blocks * bytes_;
}

std::uint64_t mesh_all_gather::bundle_room() const noexcept {
  return detail::most_sources(turn_.on(), turn_.phase()) * bytes_;
}

piece mesh_all_gather::bundle(int sender, std::uint64_t bytes) const noexcept {
  return {buffer::scratch, bundles_at_ + wide(sender) * bundle_room(), bytes};
}

piece mesh_all_gather::own_block() const noexcept {
  if (!in_place_) return {buffer::input, 0, bytes_};
  return {buffer::output, wide(turn_.rank()) * bytes_, bytes_};
}

/// Before a phase a rank of a full grid holds the blocks of all that differ from it in the
/// coordinates before; they follow each other.
piece mesh_all_gather::held(int rank) const noexcept {
  int count = 1;
  for (int d = 0; d < turn_.phase(); ++d) count *= turn_.on().size(d);
  return {buffer::output, wide(rank / count * count) * bytes_, wide(count) * bytes_};
}

bool mesh_all_gather::next(schedule::step& out, schedule::tape& on) {
  for (;;) {
    out.round = static_cast<std::uint32_t>(turn_.phase());
    switch (part_) {
      case part::gather:
        if (gather(out, on)) return true;
        begin_turns();
        break;
      case part::send: {
        part_ = part::receive;
        if (send(out, on)) return true;
        break;
      }
      case part::receive:
        part_ = part::receive_for_hole;
        if (receive(out, on, false)) return true;
        break;
      case part::receive_for_hole: {
        const bool emitted = receive(out, on, true);
        next_turn();
        if (emitted) return true;
        break;
      }
      case part::unpack:
        if (unpack(out, on)) return true;
        part_ = part::end;
        break;
      case part::end: return false;
    }
  }
}

/// Makes the message of the phase. Its first step waits for all that the phase before did.
bool mesh_all_gather::gather(schedule::step& out, schedule::tape& on) {
  const bool first_phase = turn_.phase() == 0;
  if (turn_.on().full()) {
    if (!begins_ || (first_phase && in_place_)) return false;
    // Nothing is to be copied later on, but all has to be there.
    out.left = first_phase ? own_block() : piece{buffer::output, 0, 0};
    out.into = first_phase ? held(turn_.rank()) : out.left;
  } else if (!combine(out)) {
    return false;
  }
  out.after_all = begins_ && !first_phase;
  complete_ = on.emit(out, begins_ ? schedule::never : complete_);
  begins_ = false;
  return true;
}

/// The bundles of the phase before, one behind the other, are the rank's own of this one.
bool mesh_all_gather::combine(schedule::step& out) {
  const model::grid& grid = turn_.on();
  const int phase = turn_.phase();
  if (index_ == (phase == 0 ? 1 : grid.senders(turn_.rank(), phase - 1))) return false;
  out.left = own_block();
  if (phase != 0) {
    const int sender = grid.sender(turn_.rank(), phase - 1, index_);
    const std::uint64_t length = wide(detail::sources(grid, phase - 1, sender)) * bytes_;
    out.left = {buffer::scratch, before_at_ + wide(index_) * before_room_, length};
  }
  out.into = bundle(turn_.own_coordinate(), out.left.bytes);
  out.into.offset += combined_;
  combined_ += out.left.bytes;
  ++index_;
  return true;
}

void mesh_all_gather::begin_turns() {
  sent_.fill(complete_);
  turn_.next_turn();
  // A line of one rank has no other turns.
  part_ = turn_.is_own() ? part::receive_for_hole : part::send;
}

void mesh_all_gather::next_turn() {
  part_ = part::send;
  if (!turn_.is_own() && turn_.next_turn()) return;
  begins_ = true;
  before_at_ = bundles_at_;
  before_room_ = bundle_room();
  bundles_at_ += wide(turn_.senders()) * before_room_;
  combined_ = 0;
  index_ = 0;
  part_ = part::gather;
  if (turn_.in_last_phase()) {
    part_ = turn_.on().full() ? part::end : part::unpack;
  } else {
    turn_.next_phase();
  }
}

bool mesh_all_gather::send(schedule::step& out, schedule::tape& on) {
  const int peer = turn_.peer();
  if (peer < 0) return false;
  out.kind = step_kind::send;
  out.peer = peer;
  out.edge = turn_.edge();
  if (turn_.on().full()) {
    out.placed = true;
    out.left = out.into = held(turn_.rank());
    out.into.owner = peer;
  } else {
    out.left = bundle(turn_.own_coordinate(), combined_);
  }
  schedule::mark& earlier = sent_[sends_++ % most_sends];
  earlier = on.emit(out, earlier);
  return true;
}

bool mesh_all_gather::receive(schedule::step& out, schedule::tape& on, bool for_hole) {
  const int index = turn_.arrival(for_hole);
  if (index < 0) return false;
  out.kind = step_kind::receive;
  out.peer = turn_.sender(index);
  out.edge = turn_.edge();
  if (turn_.on().full()) {
    out.placed = true;
    out.into = held(out.peer);
  } else {
    const int held_there = detail::sources(turn_.on(), turn_.phase(), out.peer);
    out.into = bundle(index, wide(held_there) * bytes_);
  }
  on.emit(out);
  return true;
}

/// What came in the last phase, and what was held before, to its places.
bool mesh_all_gather::unpack(schedule::step& out, schedule::tape& on) {
  const model::grid& grid = turn_.on();
  if (!walking_) {
    from_ = detail::source_walk(grid, grid.dimensions(), turn_.rank());
  } else if (!from_.next(grid)) {
    return false;
  }
  walking_ = true;
  const std::uint64_t at = before_at_ + wide(from_.bundle()) * before_room_;
  out.left = {buffer::scratch, at + wide(from_.within()) * bytes_, bytes_};
  out.into = {buffer::output, wide(from_.source()) * bytes_, bytes_};
  out.after_all = begins_;
  complete_ = on.emit(out, begins_ ? schedule::never : complete_);
  begins_ = false;
  return true;
}

}  // namespace upwash::collective
