// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is counted for each peer, and the question for puts that nobody acknowledged.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/detail/memory_engine.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {

peer_traffic memory_engine::traffic_towards(int rank) {
  check_rank(rank);
  const auto held = lock();
  const auto found = records_.find(rank);
  if (found == records_.end()) return {};
  const peer_record& peer = found->second;
  return {peer.begun, peer.complete, peer.sent, peer.unflushed, peer.unsent};
}

peer_traffic memory_engine::traffic_towards_all() {
  const auto held = lock();
  return to_all_;
}

void memory_engine::count_begun(operation& op) {
  const transfer& what = op.what;
  using kind = transfer::kind;
  const bool counts =
      what.what == kind::put || what.what == kind::atomic || what.what == kind::call;
  const bool exists = what.at.rank >= 0 && what.at.rank < here_.size();  // else it is refused
  op.peer = counts && exists ? &records_[what.at.rank] : nullptr;
  if (op.peer == nullptr) return;
  ++(what.silent ? op.peer->unsent : op.peer->begun);
  ++(what.silent ? to_all_.unsent : to_all_.begun);
}

void memory_engine::count_end(operation& op) noexcept {
  if (op.peer == nullptr) return;
  if (op.what.silent) {
    --op.peer->unsent;
    --to_all_.unsent;
  } else {
    ++op.peer->complete;
    ++to_all_.complete;
  }
}

const std::atomic<std::uint32_t>* memory_engine::find_implicit_towards(int rank) {
  check_rank(rank);
  const auto held = lock();
  const auto found = records_.find(rank);
  return found == records_.end() ? nullptr : &found->second.implicit_pending;
}

int memory_engine::first_unconfirmed() {
  const auto held = lock();
  int first = -1;  // the least: not by the order of the table
  for (const auto& [rank, peer] : records_) {
    if (peer.sent == peer.confirmed && peer.unflushed == 0) continue;
    if (first < 0 || rank < first) first = rank;
  }
  return first;
}

std::uint64_t memory_engine::arrived_from(int rank) {
  check_rank(rank);
  const auto held = lock();
  const auto found = records_.find(rank);
  return found == records_.end() ? 0 : found->second.arrived;
}

void memory_engine::await_idle(const region_state& going) {
  if (const std::size_t left = going.awaited; left != 0) {
    throw error(error_kind::argument,
                fmt::format("rank {}: free of a region on which this rank has operations under way "
                            "({} not told yet); wait for them, or for quiet, before",
                            here_.rank(), left));
  }
  const auto idle = [](const void* of) {
    return static_cast<const region_state*>(of)->under_way == 0;
  };
  host(here_).wait(conduit::wait_target::predicate(idle, &going),
                   {.operation = "free of a region"});
}

/// The memory lane keeps order: whoever serves the question has served the puts before it.
bool memory_engine::start_confirm(operation& op) {
  if (!is_behind_puts(op)) return false;
  op.remote.open = true;
  peer_record& peer = records_[op.what.at.rank];
  to_all_.unflushed -= std::exchange(peer.unflushed, 0);
  if (peer.sent == peer.confirmed) return settle(op, conduit::injection::done());
  return request(op.what.at.rank, memory_code::count_wanted, memory_line(name_of(op)));
}

void memory_engine::take_count(const conduit::message& m) {
  std::uint64_t name = 0;
  std::uint64_t arrived = 0;
  unpack(m.arguments, name, arrived);
  operation& op = named_by(m.source, name, transfer::kind::confirm);
  peer_record& peer = records_[m.source];
  ensure(arrived <= peer.sent, "puts that arrived were sent", arrived, peer.sent);
  peer.confirmed = std::max(peer.confirmed, arrived);
  told(op.remote);
}

}  // namespace upwash::detail
