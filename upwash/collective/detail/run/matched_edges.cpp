// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/matched_edges.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/core/job.hpp"

namespace upwash::collective::detail {
namespace {

constexpr unsigned number_bits = tagged_messages::number_bits;
constexpr unsigned phase_bits = tagged_messages::phase_bits;
constexpr unsigned edge_bits = tagged_messages::edge_bits;

/// Schedules of a caller's own are a kind of their own.
std::uint8_t number_of(std::string_view operation) {
  std::uint8_t number = 1;
  for (const std::string_view name : kind_names()) {
    if (name == operation) return number;
    ++number;
  }
  return 255;
}

}  // namespace

/// Operations that are under way together must have different tags.
tagged_messages::edge matched_edges::edge_of(const operation& op, const schedule::step& s) const {
  std::uint32_t oldest = op.number;
  for (const operation* each : running_) {
    if (&each->on_team == &op.on_team && op.number - each->number < (1U << 31U)) {
      oldest = std::min(oldest, each->number);
    }
  }
  if (op.number - oldest >= 1U << number_bits || s.edge >= 1U << edge_bits) {
    throw error(
        error_kind::argument,
        fmt::format("rank {}: {} #{}, edge {}: mechanism matched has tags for {} operations "
                    "under way on a team (the oldest is #{}) with {} edges each; wait for "
                    "some, or choose another mechanism",
                    here_.rank(), op.how.agreed.operation, op.number, s.edge, 1U << number_bits,
                    oldest, 1U << edge_bits));
  }
  const std::uint32_t in_phase = static_cast<std::uint32_t>(op.now_in) - 1;  // settle has no edges
  const std::uint32_t tag = (op.number % (1U << number_bits)) << (phase_bits + edge_bits) |
                            in_phase << edge_bits | s.edge;
  return {static_cast<std::int32_t>(tag), number_of(op.how.agreed.operation), op.how.agreed.bytes};
}

tagged_messages& matched_edges::carrier(const operation& op) const {
  if (carries_ != nullptr) return *carries_;
  throw error(error_kind::argument,
              fmt::format("rank {}: {}: mechanism matched needs tagged messages, and none were "
                          "installed; choose eager, signalling_put, rendezvous or single_copy",
                          here_.rank(), op.how.agreed.operation));
}

bool matched_edges::send(operation& op, slot& s) {
  if (s.state == progress_of::matching) return advance(op, s);
  if (s.state != progress_of::waiting) return false;
  s.state = progress_of::matching;
  carrier(op).send(op.among, s.what.peer, edge_of(op, s.what), data_.in_one_piece(op, s),
                   s.what.acknowledged, s.told_bytes);
  static_cast<void>(advance(op, s));
  return true;
}

/// Into memory of the operation, which stays when it is given up.
bool matched_edges::receive(operation& op, slot& s) {
  if (s.state == progress_of::matching) return advance(op, s);
  if (s.state != progress_of::waiting) return false;
  s.state = progress_of::matching;
  s.staged.resize(s.what.header.count * sizeof(std::uint64_t) + s.what.into.bytes);
  carrier(op).receive(op.among, s.what.peer, edge_of(op, s.what), s.staged, s.told_bytes);
  static_cast<void>(advance(op, s));
  return true;
}

bool matched_edges::advance(operation& op, slot& s) {
  if (s.told_bytes == tagged_messages::under_way) {
    op.stir(s);
    return false;
  }
  if (s.what.kind == schedule::step_kind::send) {
    op.complete(s);
  } else if (s.told_bytes > s.staged.size()) {
    data_.misfits(s, s.told_bytes);
  } else if (data_.take(s, std::span(s.staged).first(s.told_bytes))) {
    op.complete(s);
  }
  return true;
}

}  // namespace upwash::collective::detail
