// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/hypercube_all_to_all.hpp"

#include <algorithm>
#include <bit>

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

namespace {

std::uint64_t wide(int number) noexcept { return static_cast<std::uint64_t>(number); }

/// The stage in which a row came; not for row 0, which is the own.
int stage_of_row(int number) noexcept {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(number))) - 1;
}

}  // namespace

hypercube_all_to_all::hypercube_all_to_all(int ranks, int rank, std::uint64_t bytes)
    : cube_(ranks), ranks_(ranks), rank_(rank), vertex_(cube_.vertex_of(rank)), bytes_(bytes) {}

std::uint64_t hypercube_all_to_all::all_bytes() const noexcept { return wide(ranks_) * bytes_; }

hypercube_all_to_all::range hypercube_all_to_all::left_to(int vertex, int stage) const noexcept {
  const int free_bits = cube_.dimensions() - stage;
  const int least = vertex >> free_bits << free_bits;
  return {cube_.rank_of(least), cube_.rank_of(least + (1 << free_bits))};
}

int hypercube_all_to_all::partner(int stage) const noexcept {
  return vertex_ ^ (1 << (cube_.dimensions() - 1 - stage));
}

std::uint64_t hypercube_all_to_all::rows(int vertex, int stage) const noexcept {
  return wide(cube_.ranks_alike(vertex, 1 << (cube_.dimensions() - stage)));
}

std::uint64_t hypercube_all_to_all::message_bytes(int from, int to, int stage) const noexcept {
  return rows(from, stage) * left_to(to, stage + 1).count() * bytes_;
}

std::uint64_t hypercube_all_to_all::room_to_send() const noexcept {
  std::uint64_t most = has_folded() ? all_bytes() : 0;
  for (int s = 0; s < cube_.dimensions(); ++s) {
    most = std::max(most, message_bytes(vertex_, partner(s), s));
  }
  return most;
}

std::uint64_t hypercube_all_to_all::message_at(int stage) const noexcept {
  std::uint64_t at = (has_folded() ? all_bytes() : 0) + room_to_send();
  for (int s = 0; s < stage; ++s) at += message_bytes(partner(s), vertex_, s);
  return at;
}

std::uint64_t hypercube_all_to_all::scratch_bytes() const noexcept {
  return cube_.is_folded(rank_) ? 0 : message_at(cube_.dimensions());
}

void hypercube_all_to_all::begin_rows() noexcept {
  row_ = 0;
  of_folded_ = false;
  for_folded_ = false;
  in_message_ = 0;
}

void hypercube_all_to_all::next_row() noexcept {
  ++in_message_;
  of_folded_ = !of_folded_ && cube_.has_folded(source_vertex());
  if (of_folded_) return;
  ++row_;
  if (std::has_single_bit(static_cast<unsigned>(row_))) in_message_ = 0;
}

/// Bit s of a row's number says whether it came over the dimension of stage s.
int hypercube_all_to_all::source_vertex() const noexcept {
  int vertex = vertex_;
  for (int s = 0; s < cube_.dimensions(); ++s) {
    if (((row_ >> s) & 1) != 0) vertex ^= 1 << (cube_.dimensions() - 1 - s);
  }
  return vertex;
}

piece hypercube_all_to_all::row_for(const range& ranks) const noexcept {
  const std::uint64_t bytes = ranks.count() * bytes_;
  if (row_ == 0) {
    return {of_folded_ ? buffer::scratch : buffer::input, wide(ranks.first) * bytes_, bytes};
  }
  const int stage = stage_of_row(row_);
  const range then = left_to(vertex_, stage + 1);
  const std::uint64_t block = in_message_ * then.count() + wide(ranks.first - then.first);
  return {buffer::scratch, message_at(stage) + block * bytes_, bytes};
}

void hypercube_all_to_all::begin_stage() noexcept {
  begin_rows();
  packed_ = 0;
  joins_ = stage_ != 0 || has_folded();
  part_ = last_stage() ? part::unpack : part::pack;
}

bool hypercube_all_to_all::next(schedule::step& out, schedule::tape& on) {
  if (cube_.is_folded(rank_)) return next_of_folded(out, on);
  out.edge = out.round = static_cast<std::uint32_t>(folds() + stage_);
  switch (part_) {
    case part::fold_in:
      begin_stage();
      if (fold_in(out, on)) return true;
      return next(out, on);
    case part::pack: pack(out, on); return true;
    case part::send:
    case part::receive: exchange(out, on); return true;
    case part::unpack: unpack(out, on); return true;
    case part::fold_out:
      out.kind = step_kind::send;
      out.placed = true;
      out.peer = rank_ + 1;
      out.left = {buffer::scratch, all_bytes(), all_bytes()};
      out.into = {buffer::output, 0, all_bytes(), rank_ + 1};
      on.emit(out, copied_);
      part_ = part::end;
      return true;
    case part::end: break;
  }
  return false;
}

bool hypercube_all_to_all::fold_in(schedule::step& out, schedule::tape& on) {
  if (!has_folded()) return false;
  out.kind = step_kind::receive;
  out.edge = out.round = 0;
  out.peer = rank_ + 1;
  out.into = {buffer::scratch, 0, all_bytes()};
  on.emit(out);
  return true;
}

bool hypercube_all_to_all::next_of_folded(schedule::step& out, schedule::tape& on) {
  if (part_ == part::end) return false;
  const bool sends = part_ == part::fold_in;
  out.kind = sends ? step_kind::send : step_kind::receive;
  out.placed = !sends;
  out.peer = rank_ - 1;
  out.edge = out.round = static_cast<std::uint32_t>(sends ? 0 : folds() + cube_.dimensions());
  (sends ? out.left : out.into) = {sends ? buffer::input : buffer::output, 0, all_bytes()};
  on.emit(out);
  part_ = sends ? part::fold_out : part::end;
  return true;
}

void hypercube_all_to_all::copy(schedule::step& out, schedule::tape& on) {
  out.after_all = joins_;
  copied_ = on.emit(out, joins_ ? schedule::never : copied_);
  joins_ = false;
}

/// One row's blocks for the other half.
void hypercube_all_to_all::pack(schedule::step& out, schedule::tape& on) {
  out.left = row_for(left_to(partner(stage_), stage_ + 1));
  const std::uint64_t at = has_folded() ? all_bytes() : 0;
  out.into = {buffer::scratch, at + packed_, out.left.bytes};
  packed_ += out.left.bytes;
  copy(out, on);
  next_row();
  if (row_ == 1 << stage_) part_ = part::send;
}

void hypercube_all_to_all::exchange(schedule::step& out, schedule::tape& on) {
  const int other = partner(stage_);
  out.peer = cube_.rank_of(other);
  if (part_ == part::send) {
    out.kind = step_kind::send;
    out.left = {buffer::scratch, has_folded() ? all_bytes() : 0, packed_};
    on.emit(out, copied_);
    part_ = part::receive;
    return;
  }
  out.kind = step_kind::receive;
  out.into = {buffer::scratch, message_at(stage_), message_bytes(other, vertex_, stage_)};
  on.emit(out);
  ++stage_;
  begin_stage();
}

/// Of each row the block for this rank to its place, the one for the folded rank to its message.
void hypercube_all_to_all::unpack(schedule::step& out, schedule::tape& on) {
  const int owner = rank_ + (for_folded_ ? 1 : 0);
  const int source = cube_.rank_of(source_vertex()) + (of_folded_ ? 1 : 0);
  out.left = row_for({owner, owner + 1});
  out.into = {for_folded_ ? buffer::scratch : buffer::output,
              (for_folded_ ? all_bytes() : 0) + wide(source) * bytes_, bytes_};
  copy(out, on);
  for_folded_ = !for_folded_ && has_folded();
  if (for_folded_) return;
  next_row();
  if (row_ == cube_.vertices()) part_ = has_folded() ? part::fold_out : part::end;
}

}  // namespace upwash::collective
