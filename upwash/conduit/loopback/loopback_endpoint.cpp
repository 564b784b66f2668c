// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "upwash/base/error.hpp"
#include "upwash/conduit/loopback/detail/loopback_endpoint.hpp"

namespace upwash::conduit {
namespace {

constexpr std::align_val_t segment_alignment{64};
constexpr std::size_t largest_segment = std::size_t{1} << 34U;  ///< a test wants no more
constexpr std::size_t poll_budget = 8;                          ///< messages of one queue a poll

/// Ranks share an address space.
struct wire_key {
  std::byte* base;
  std::size_t size;
};

}  // namespace

loopback_endpoint::loopback_endpoint(loopback_shared& shared, int first, int hosted)
    : shared_(shared),
      first_(first),
      hosted_(hosted),
      start_(steady_now()),
      sinks_(static_cast<std::size_t>(hosted)) {
  can_.name = "loopback";
  can_.ordered = false;
  peer_capabilities any;
  any.medium_bytes = shared.options.medium_bytes;
  any.direct_access = shared.options.direct_access;
  can_.set_all(any);
}

void loopback_endpoint::attach(int rank, sink* receiver) {
  sinks_[static_cast<std::size_t>(rank - first_)] = receiver;
}

injection loopback_endpoint::send(const message& m, bool from_handler) {
  if (shared_.random.fraction() < shared_.options.retry_fraction) {
    return injection::retry(retry_reason::no_memory);
  }
  loopback_endpoint& to = shared_.endpoint_of(m.destination);
  if (to.throttled_ > 0 && !from_handler && m.kind == lane::request) {
    return injection::retry(retry_reason::throttled);
  }
  queue& into = to.inbound_[{first_, m.kind}];
  if (into.size() >= shared_.options.queue_messages) {
    return injection::retry(retry_reason::no_credit);
  }
  into.push_back(
      {m, {m.arguments.begin(), m.arguments.end()}, {m.payload.begin(), m.payload.end()}});
  ++shared_.events;
  return injection::done();
}

int loopback_endpoint::take_from(queue& from) {
  int taken = 0;
  for (std::size_t budget = poll_budget; budget > 0 && !from.empty(); --budget) {
    // Unordered: any message of the queue may come next.
    const auto at = from.begin() + static_cast<std::ptrdiff_t>(shared_.random.below(from.size()));
    sink* receiver = sinks_[static_cast<std::size_t>(at->header.destination - first_)];
    if (receiver == nullptr) continue;  // its job is not there yet: kept
    const loopback_packet packet = std::move(*at);
    from.erase(at);
    ++shared_.events;
    ++taken;
    message arrived = packet.header;
    arrived.arguments = packet.arguments;
    arrived.payload = packet.payload;
    receiver->deliver(arrived);
    if (receiver->acts_first()) break;
  }
  return taken;
}

int loopback_endpoint::poll(int /*rank*/) {
  if (polling_) throw error(error_kind::fault, "loopback: nested poll (invariant E3)");
  polling_ = true;
  int taken = 0;
  for (auto& [key, from] : inbound_) taken += take_from(from);
  polling_ = false;
  return taken;
}

void loopback_endpoint::idle(int rank, const wait_target& target, const wait_reason& reason) {
  if (target.alarm() != duration::max()) ++shared_.events;  // it is to come
  shared_.ranks.idle(rank, reason);
}

void loopback_endpoint::yield(int rank) { shared_.ranks.yield(rank); }

memory_block loopback_endpoint::allocate(int /*rank*/, std::size_t bytes) {
  if (bytes > largest_segment) {
    throw error(error_kind::system, fmt::format("loopback: {} bytes asked for; a segment here has "
                                                "at most {}",
                                                bytes, largest_segment));
  }
  memory_block block;
  block.size = bytes;
  // At least one byte, so that each block has an address of its own.
  block.base =
      static_cast<std::byte*>(::operator new(std::max<std::size_t>(bytes, 1), segment_alignment));
  std::fill_n(block.base, bytes, std::byte{0});
  block.key = key_of(wire_key{block.base, bytes});
  return block;
}

void loopback_endpoint::release(int /*rank*/, const memory_block& block) {
  ::operator delete(block.base, segment_alignment);
}

remote_memory loopback_endpoint::import(int /*rank*/, int owner, const memory_key& key) {
  const auto [base, size] = value_of<wire_key>(key);
  return {owner, shared_.options.direct_access ? base : nullptr, size, 0};
}

void loopback_endpoint::forget(int /*rank*/, const remote_memory& /*memory*/) {}

duration loopback_endpoint::now(int /*rank*/) const noexcept { return steady_now() - start_; }

void loopback_endpoint::compute(int /*rank*/, duration /*time*/) {}

}  // namespace upwash::conduit
