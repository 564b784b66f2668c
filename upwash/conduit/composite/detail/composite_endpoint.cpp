// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/composite/detail/composite_endpoint.hpp"

#include <algorithm>

#include "upwash/conduit/composite/detail/composite_key.hpp"

namespace upwash::conduit::composite {
namespace {

/// Of memory that only messages reach: neither part knows it.
constexpr std::uint64_t nobodys_handle = ~std::uint64_t{0};

}  // namespace

capabilities combine(const capabilities& inner, const capabilities& outer, bool several_nodes) {
  capabilities can = inner;
  can.ordered = can.ordered && outer.ordered;
  can.virtual_time = can.virtual_time || outer.virtual_time;
  can.network_collectives = false;
  peer_capabilities& remote = can.peers[static_cast<std::size_t>(nearness::remote)];
  if (!several_nodes) {
    remote = can.of(nearness::node);
    return can;
  }
  // Segments are the inner conduit's: between nodes messages reach them.
  const peer_capabilities& across = outer.of(nearness::remote);
  remote = {};
  remote.private_reads = across.private_reads;
  remote.in_place = across.in_place;
  remote.medium_bytes = across.medium_bytes;
  return can;
}

void translator::deliver(const message& arrived) {
  message m = arrived;
  m.source += first_rank_;
  m.destination += first_rank_;
  if (numbers_) m.sequence = counted_[{m.source, m.kind}]++;
  shared_.note();
  receiver_->deliver(m);
  acts_first_ = receiver_->acts_first();
}

composite_endpoint::composite_endpoint(shared_state& shared, endpoint& inner, endpoint& outer,
                                       int node_first, int node_end)
    : shared_(shared), inner_(inner), outer_(outer), node_first_(node_first), node_end_(node_end) {
  const bool ordered = shared.can.ordered;
  for (int r = 0; r < outer.local_ranks(); ++r) {
    from_inner_.emplace_back(shared, node_first, inner.describe().ordered && !ordered);
    from_outer_.emplace_back(shared, 0, outer.describe().ordered && !ordered);
  }
}

composite_endpoint::composite_endpoint(shared_state& shared, process_endpoint& inner,
                                       process_endpoint& outer, int node_first, int node_end)
    : composite_endpoint(shared, static_cast<endpoint&>(inner), static_cast<endpoint&>(outer),
                         node_first, node_end) {
  inner_process_ = &inner;
  outer_process_ = &outer;
}

void composite_endpoint::attach(int rank, sink* receiver) {
  const auto at = static_cast<std::size_t>(rank - first_rank());
  from_inner_[at].hand_to(receiver);
  from_outer_[at].hand_to(receiver);
  inner_.attach(inner_rank(rank), receiver == nullptr ? nullptr : &from_inner_[at]);
  outer_.attach(rank, receiver == nullptr ? nullptr : &from_outer_[at]);
}

// -- Active messages ----------------------------------------------------------------------------

message composite_endpoint::for_inner(const message& m) const noexcept {
  message there = m;
  there.source = inner_rank(m.source);
  there.destination = inner_rank(m.destination);
  return there;
}

reservation composite_endpoint::for_inner(const reservation& room) const noexcept {
  reservation there = room;
  there.source = inner_rank(room.source);
  there.destination = inner_rank(room.destination);
  return there;
}

injection composite_endpoint::send(const message& m, bool from_handler) {
  return counted(is_near(m.destination) ? inner_.send(for_inner(m), from_handler)
                                        : outer_.send(m, from_handler));
}

injection composite_endpoint::prepare(int source, int destination, lane kind, std::size_t bytes,
                                      reservation& room) {
  if (!is_near(destination)) return outer_.prepare(source, destination, kind, bytes, room);
  const injection result =
      inner_.prepare(inner_rank(source), inner_rank(destination), kind, bytes, room);
  room.source = source;
  room.destination = destination;
  return result;
}

void composite_endpoint::commit(const reservation& room, const message& m) {
  shared_.note();
  if (is_near(room.destination)) return inner_.commit(for_inner(room), for_inner(m));
  outer_.commit(room, m);
}

void composite_endpoint::cancel(const reservation& room) {
  if (is_near(room.destination)) return inner_.cancel(for_inner(room));
  outer_.cancel(room);
}

injection composite_endpoint::send_long(const message& m, const remote_memory& to,
                                        std::size_t offset, std::span<const std::byte> from,
                                        completion* local, bool from_handler) {
  if (!is_near(m.destination)) {
    return endpoint::send_long(m, to, offset, from, local, from_handler);
  }
  return counted(inner_.send_long(for_inner(m), for_inner(to), offset, from, local, from_handler));
}

int composite_endpoint::lost_rank() const noexcept {
  const int near = inner_.lost_rank();
  return near < 0 ? outer_.lost_rank() : node_first_ + near;
}

void composite_endpoint::close(int rank) {
  inner_.close(inner_rank(rank));
  outer_.close(rank);
}

void composite_endpoint::throttle(bool on) {
  inner_.throttle(on);
  outer_.throttle(on);
}

// -- Memory -------------------------------------------------------------------------------------

remote_memory composite_endpoint::for_inner(const remote_memory& memory) const noexcept {
  remote_memory there = memory;
  there.owner = inner_rank(memory.owner);
  return there;
}

bool composite_endpoint::any(bool peer_capabilities::*what, const endpoint& of) const noexcept {
  const auto& classes = of.describe().peers;
  return std::any_of(classes.begin(), classes.end(),
                     [what](const auto& each) { return each.*what; });
}

memory_block composite_endpoint::allocate(int rank, std::size_t bytes) {
  memory_block block = inner_.allocate(inner_rank(rank), bytes);
  block.key = joined({block.key, {}});
  return block;
}

void composite_endpoint::release(int rank, const memory_block& block) {
  memory_block inners = block;
  inners.key = split(block.key).inner;
  inner_.release(inner_rank(rank), inners);
}

memory_key composite_endpoint::register_span(int rank, std::span<const std::byte> span) {
  key_parts keys;
  if (any(&peer_capabilities::private_reads, inner_)) {
    keys.inner = inner_.register_span(inner_rank(rank), span);
  }
  if (any(&peer_capabilities::private_reads, outer_)) {
    keys.outer = outer_.register_span(rank, span);
  }
  return joined(keys);
}

void composite_endpoint::deregister(int rank, const memory_key& key) {
  const key_parts keys = split(key);
  if (keys.inner.size != 0) inner_.deregister(inner_rank(rank), keys.inner);
  if (keys.outer.size != 0) outer_.deregister(rank, keys.outer);
}

remote_memory composite_endpoint::import(int rank, int owner, const memory_key& key) {
  const key_parts keys = split(key);
  if (is_near(owner)) {
    remote_memory memory = inner_.import(inner_rank(rank), inner_rank(owner), keys.inner);
    memory.owner = owner;
    return memory;
  }
  if (keys.outer.size == 0) return {owner, nullptr, 0, nobodys_handle};
  remote_memory memory = outer_.import(rank, owner, keys.outer);
  memory.direct = nullptr;  // whatever it could do: this endpoint says that it is not
  return memory;
}

void composite_endpoint::forget(int rank, const remote_memory& memory) {
  if (is_near(memory.owner)) return inner_.forget(inner_rank(rank), for_inner(memory));
  if (memory.handle != nobodys_handle) outer_.forget(rank, memory);
}

injection composite_endpoint::put(int rank, const remote_memory& to, std::size_t offset,
                                  std::span<const std::byte> from, completions when,
                                  const put_signal* signal) {
  if (!is_near(to.owner)) return endpoint::put(rank, to, offset, from, when, signal);
  if (signal == nullptr) {
    return counted(inner_.put(inner_rank(rank), for_inner(to), offset, from, when, nullptr));
  }
  const remote_memory word = for_inner(*signal->memory);
  const put_signal there{&word, signal->offset, signal->add};
  return counted(inner_.put(inner_rank(rank), for_inner(to), offset, from, when, &there));
}

injection composite_endpoint::get(int rank, const remote_memory& from, std::size_t offset,
                                  std::span<std::byte> to, completion* local) {
  if (!is_near(from.owner)) return counted(outer_.get(rank, from, offset, to, local));
  return counted(inner_.get(inner_rank(rank), for_inner(from), offset, to, local));
}

/// Of the node alone: what is read from others goes through the endpoint.
bool composite_endpoint::read_aside(int rank, int owner, const memory_key& key, std::size_t offset,
                                    std::span<std::byte> to) noexcept {
  if (!is_near(owner) || key.size == 0) return false;
  return inner_.read_aside(inner_rank(rank), inner_rank(owner), split(key).inner, offset, to);
}

injection composite_endpoint::atomic(int rank, const remote_memory& at, std::size_t offset,
                                     const atomic_operation& operation, std::uint64_t* old,
                                     completions when) {
  if (!is_near(at.owner)) return endpoint::atomic(rank, at, offset, operation, old, when);
  return counted(inner_.atomic(inner_rank(rank), for_inner(at), offset, operation, old, when));
}

injection composite_endpoint::flush(int rank, int peer, completion* when) {
  if (peer >= 0 && !is_near(peer)) return endpoint::flush(rank, peer, when);
  return inner_.flush(inner_rank(rank), peer < 0 ? peer : inner_rank(peer), when);
}

// -- Progress -----------------------------------------------------------------------------------

bool composite_endpoint::acts_first() const noexcept {
  return std::any_of(from_inner_.begin(), from_inner_.end(),
                     [](const translator& each) { return each.receiver_acts_first(); });
}

int composite_endpoint::poll(int rank) {
  int happened = inner_.poll(inner_rank(rank));
  if (scheduled_ || happened == 0 || !acts_first()) happened += outer_.poll(rank);
  shared_.note(static_cast<std::uint64_t>(happened));
  return happened;
}

int composite_endpoint::poll_for_all() {
  const int happened = inner_process_->poll_for_all();
  return happened != 0 && acts_first() ? happened : happened + outer_process_->poll_for_all();
}

void composite_endpoint::schedule_by(rank_scheduler& ranks) noexcept {
  scheduled_ = true;
  inner_process_->schedule_by(ranks);
  outer_process_->schedule_by(ranks);
}

/// One of them is enough: both give the same core on.
void composite_endpoint::pause() noexcept { outer_process_->pause(); }

void composite_endpoint::resumed() noexcept {
  inner_process_->resumed();
  outer_process_->resumed();
}

void composite_endpoint::idle(int rank, const wait_target& target, const wait_reason& reason) {
  if (shared_.ranks == nullptr) return pause();
  if (target.alarm() != duration::max()) shared_.note();  // it is to come
  shared_.ranks->idle(rank, reason);
}

void composite_endpoint::begin_wait(int /*rank*/) {
  shared_.note();  // the last wait is over: something was stored, which no part tells of
  if (outer_process_ != nullptr) resumed();
}

void composite_endpoint::yield(int rank) {
  if (shared_.ranks != nullptr) shared_.ranks->yield(rank);
}

}  // namespace upwash::conduit::composite
