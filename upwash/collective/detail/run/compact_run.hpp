// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One run of compact steps: what a step waits for, and what it then does. Who waits how is the
// caller's: compact_runner on the caller's stack, operations from progress to progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "upwash/collective/binding.hpp"
#include "upwash/collective/detail/run/board.hpp"
#include "upwash/collective/detail/run/compact.hpp"
#include "upwash/collective/detail/run/operator_call.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash::collective::detail {

/// Where the steps of one operation work. Refers to what it is given.
struct compact_run {
  job& here;
  board& lines;
  const binding& buffers;
  std::byte* scratch;
  board::scratch_place shared;
  std::uint64_t epoch;

  [[nodiscard]] board::awaited before(const compact_step& s) const noexcept {
    using schedule::step_kind;
    if (s.kind == step_kind::await) return lines.counted_up(s.places, shared, s.edge, s.value);
    if (s.kind == step_kind::receive) return {&place(s).edges[s.edge].tag, board::tag_of(epoch)};
    if (!s.fetches || s.bytes == 0) return {};
    // Out of a peer's buffer. Mostly the peer said where that is before it let this rank come here.
    return {&lines.exposure_word(s.left.owner, epoch, s.left.of == schedule::buffer::output),
            board::tag_of(epoch)};
  }

  void perform(const compact_step& s) const {
    using schedule::step_kind;
    switch (s.kind) {
      case step_kind::send: return send(s);
      case step_kind::receive:
        if (s.bytes != 0) std::memcpy(target(s.into), line(s).payload.data(), s.bytes);
        return;
      case step_kind::copy: return copy(s);
      case step_kind::reduce:
        if (s.bytes != 0) {
          apply_operator(here, buffers.combine, source(s.left), source(s.right), target(s.into),
                         s.bytes);
        }
        return;
      case step_kind::signal: return lines.count_up(s.places, shared, s.edge);
      default: return;  // an await is over; is_compact lets no other through
    }
  }

  /// A step that fetches, from any thread and beside the endpoint. False: it was not done, and
  /// `perform` does it.
  [[nodiscard]] bool fetch_aside(const compact_step& s) const {
    if (s.bytes == 0) return true;
    const exposed_memory& memory = *exposed(s);
    return host(here).endpoint().read_aside(here.rank(), memory.rank, memory.key, s.left.at,
                                            std::span(target(s.into), s.bytes));
  }

 private:
  [[nodiscard]] const exposed_memory* exposed(const compact_step& s) const {
    return lines.exposed(s.left.owner, epoch, s.left.of == schedule::buffer::output);
  }
  [[nodiscard]] const std::byte* source(const compact_piece& p) const {
    return p.of == schedule::buffer::input ? buffers.input.data() + p.at : target(p);
  }
  [[nodiscard]] std::byte* target(const compact_piece& p) const {
    if (p.of == schedule::buffer::output) return buffers.output.data() + p.at;
    return p.at + (p.of == schedule::buffer::shared ? lines.scratch(p.owner, shared) : scratch);
  }
  [[nodiscard]] board::place& place(const compact_step& s) const noexcept {
    return s.places[epoch & (lines.epochs() - 1)];
  }
  [[nodiscard]] board_line& line(const compact_step& s) const noexcept {
    return place(s).edges[s.edge];
  }

  void send(const compact_step& s) const {
    const std::byte* from = s.bytes == 0 ? nullptr : source(s.left);
    line(s).write(board::tag_of(epoch), from, s.bytes);
  }
  void copy(const compact_step& s) const {
    if (s.bytes == 0) return;
    if (!s.fetches) {
      std::memmove(target(s.into), source(s.left), s.bytes);
      return;
    }
    get(here, *exposed(s), s.left.at, std::span(target(s.into), s.bytes)).wait();
  }
};

}  // namespace upwash::collective::detail
