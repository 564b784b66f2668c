// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/mesh_all_to_all.hpp"

#include <algorithm>

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

namespace {

std::uint64_t wide(int number) noexcept { return static_cast<std::uint64_t>(number); }

}  // namespace

mesh_all_to_all::mesh_all_to_all(int ranks, int rank, std::uint64_t bytes, parameters chosen)
    : mesh_exchange(ranks, rank, chosen.dimensions), bytes_(bytes), whole_(chosen.whole_messages) {
  for (detail::mesh_turn t = turn_; t.phase() < t.on().dimensions(); t.next_phase()) {
    if (t.in_last_phase() && t.on().full()) break;
    messages_at_ += wide(t.senders()) * detail::most_sources(t.on(), t.phase()) *
                    wide(t.blocks_of_source()) * bytes_;
  }
  message_at_ = messages_at_;
}

std::uint32_t mesh_all_to_all::window() const noexcept {
  // As many messages ahead as there are where each takes hundreds of copies.
  constexpr std::uint32_t two_turns = 8;
  return whole_ && !is_direct() ? two_turns : mesh_exchange::window();
}

std::uint64_t mesh_all_to_all::scratch_bytes() const noexcept {
  std::uint64_t sent = 0;
  if (is_direct()) return 0;
  for (detail::mesh_turn t = turn_; t.phase() < t.on().dimensions(); t.next_phase()) {
    const auto own = t.to_send();
    const std::uint64_t phase =
        detail::most_sources(t.on(), t.phase()) * wide(own.of_all - own.count) * bytes_;
    sent = std::max(sent, phase);
  }
  return messages_at_ + sent;
}

bool mesh_all_to_all::lands_in_output() const noexcept {
  return turn_.in_last_phase() && turn_.on().full();
}

std::uint64_t mesh_all_to_all::bundle_bytes() const noexcept {
  return detail::most_sources(turn_.on(), turn_.phase()) * wide(turn_.blocks_of_source()) * bytes_;
}

bool mesh_all_to_all::next(schedule::step& out, schedule::tape& on) {
  for (;;) {
    switch (part_) {
      case part::pack:
        if (pack(out, on)) return true;
        part_ = part::receive;
        break;
      case part::receive:
        part_ = part::receive_for_hole;
        if (receive(out, on, false)) return true;
        break;
      case part::receive_for_hole:
        part_ = part::send;
        if (receive(out, on, true)) return true;
        break;
      case part::send: {
        const bool emitted = send(out, on);
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

void mesh_all_to_all::next_turn() {
  message_bytes_ = 0;
  part_ = part::pack;
  if (turn_.next_turn()) return;
  begins_phase_ = true;
  message_at_ = messages_at_;
  if (turn_.in_last_phase()) {
    part_ = turn_.on().full() ? part::end : part::unpack;
    return;
  }
  held_at_ = into_at_;
  held_bytes_ = bundle_bytes();
  into_at_ += wide(turn_.senders()) * held_bytes_;
  turn_.next_phase();
}

piece mesh_all_to_all::run() const noexcept {
  if (turn_.phase() == 0) {
    return {buffer::input, wide(to_.destination(turn_.on())) * bytes_, bytes_};
  }
  const std::uint64_t first = wide(from_.within()) * wide(share_.of_all) + wide(share_.lead);
  return {buffer::scratch, held_at_ + wide(from_.bundle()) * held_bytes_ + first * bytes_,
          wide(share_.count) * bytes_};
}

/// All runs of the message as one.
bool mesh_all_to_all::pack_whole(schedule::step& out, schedule::tape& on) {
  if (message_bytes_ != 0) return false;
  const int held = detail::sources(turn_.on(), turn_.phase(), turn_.rank());
  message_bytes_ = wide(held) * wide(turn_.to_send().count) * bytes_;
  if (message_bytes_ == 0) return false;
  out.round = static_cast<std::uint32_t>(turn_.phase());
  out.left = {turn_.phase() == 0 ? buffer::input : buffer::scratch, 0, message_bytes_};
  out.into = {buffer::scratch, message_at_, message_bytes_};
  copy(out, on);
  return true;
}

bool mesh_all_to_all::pack(schedule::step& out, schedule::tape& on) {
  if (whole_ && !is_direct()) return turn_.peer() >= 0 && pack_whole(out, on);
  if (turn_.peer() < 0 || (is_direct() && !turn_.is_own()) || !next_run()) return false;
  out.round = static_cast<std::uint32_t>(turn_.phase());
  out.left = run();
  out.into = {buffer::scratch, message_at_ + message_bytes_, out.left.bytes};
  if (turn_.is_own()) {
    const bool is_end = turn_.in_last_phase();
    out.into.of = is_end ? buffer::output : buffer::scratch;
    out.into.offset =
        is_end ? wide(source_of_run()) * bytes_
               : into_at_ + wide(turn_.own_coordinate()) * bundle_bytes() + message_bytes_;
  }
  message_bytes_ += out.left.bytes;
  copy(out, on);
  return true;
}

bool mesh_all_to_all::send(schedule::step& out, schedule::tape& on) {
  const int peer = turn_.peer();
  if (turn_.is_own() || peer < 0) return false;
  out.kind = step_kind::send;
  out.peer = peer;
  out.edge = turn_.edge();
  out.round = static_cast<std::uint32_t>(turn_.phase());
  out.left = is_direct() ? piece{buffer::input, wide(peer) * bytes_, bytes_}
                         : piece{buffer::scratch, message_at_, message_bytes_};
  if (lands_in_output()) {
    out.placed = true;
    out.into = {buffer::output, wide(turn_.own_coordinate()) * out.left.bytes, out.left.bytes,
                peer};
  }
  on.emit(out, is_direct() ? schedule::never : packed_);
  message_at_ += message_bytes_;
  return true;
}

bool mesh_all_to_all::receive(schedule::step& out, schedule::tape& on, bool for_hole) {
  const int index = turn_.arrival(for_hole);
  if (index < 0) return false;
  out.kind = step_kind::receive;
  out.peer = turn_.sender(index);
  out.edge = turn_.edge();
  out.round = static_cast<std::uint32_t>(turn_.phase());
  const int held_there = detail::sources(turn_.on(), turn_.phase(), out.peer);
  const std::uint64_t length = wide(held_there) * wide(turn_.blocks_of_source()) * bytes_;
  if (lands_in_output()) {
    // The sources are those that share the sender's last coordinate, in order.
    out.placed = true;
    out.into = {buffer::output, wide(index) * length, length};
  } else {
    out.into = {buffer::scratch, into_at_ + wide(index) * bundle_bytes(), length};
  }
  on.emit(out);
  return true;
}

/// All blocks that came in the last phase as one.
bool mesh_all_to_all::unpack_whole(schedule::step& out, schedule::tape& on) {
  if (!begins_phase_) return false;
  const int held = detail::sources(turn_.on(), turn_.phase(), turn_.rank());
  const std::uint64_t came = wide(turn_.on().ranks() - held) * bytes_;
  out.left = {buffer::scratch, into_at_, came};
  out.into = {buffer::output, 0, came};
  out.round = static_cast<std::uint32_t>(turn_.phase());
  copy(out, on);
  return true;
}

/// What came in the last phase, to its places.
bool mesh_all_to_all::unpack(schedule::step& out, schedule::tape& on) {
  if (whole_) return unpack_whole(out, on);
  if (!next_arrived()) return false;
  const std::uint64_t at = into_at_ + wide(from_.bundle()) * bundle_bytes();
  out.left = {buffer::scratch, at + wide(from_.within()) * bytes_, bytes_};
  out.into = {buffer::output, wide(from_.source()) * bytes_, bytes_};
  out.round = static_cast<std::uint32_t>(turn_.phase());
  copy(out, on);
  return true;
}

}  // namespace upwash::collective
