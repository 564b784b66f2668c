// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/sim/detail/transfers.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "upwash/base/apply_atomic.hpp"
#include "upwash/base/ensure.hpp"
#include "upwash/base/word_copy.hpp"

namespace upwash::conduit::sim {
namespace {

constexpr std::size_t kept_buffer_bytes = 64 * 1024;  ///< of an operation that is free
constexpr unsigned operation_lane = lane_count;  ///< of the peer table: beside the messages' lanes

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0 && to != nullptr) std::memcpy(to, from, bytes);
}

}  // namespace

transfers::transfers(simulation& in, traffic& messages, segments& memory)
    : in_(in),
      messages_(messages),
      memory_(memory),
      ranks_(static_cast<std::size_t>(in.options().ranks)) {}

operation* transfers::make(operation::type what, int rank, const remote_memory& memory,
                           std::size_t offset, std::size_t bytes) {
  ensure(offset <= memory.size && bytes <= memory.size - offset, "a transfer is inside its segment",
         offset, bytes);
  if (free_.empty()) {
    pool_.push_back(std::make_unique<operation>());
    free_.push_back(pool_.back().get());
  }
  operation* op = std::exchange(free_.back(), nullptr);
  free_.pop_back();
  std::vector<std::byte> buffer = std::move(op->buffer);
  *op = operation{};
  op->buffer = std::move(buffer);
  op->home = this;
  op->what = what;
  op->initiator = rank;
  op->source = rank;
  op->destination = memory.owner;
  op->block = memory.handle;
  op->offset = offset;
  op->bytes = bytes;
  op->landed = &transfers::at_target;
  return op;
}

void transfers::keep_source(operation& op, std::span<const std::byte> from, completion* local) {
  if (from.size() <= copied_bytes) {
    op.buffer.assign(from.begin(), from.end());
    op.data = op.buffer.data();
    if (local != nullptr) queue(op.initiator, in_.clock(op.initiator), local);
  } else {
    op.data = from.data();
    op.when.local = local;
  }
}

void transfers::start(operation& op, std::uint64_t bytes) {
  initiator& by = at(op.initiator);
  op.number = by.issued++;
  ++by.under_way;
  op.target = &messages_.peer(op.initiator, op.destination, operation_lane);
  ++op.target->operations;
  in_.prepare(op, bytes);
  in_.launch(op);
}

injection transfers::put(int rank, const remote_memory& to, std::size_t offset,
                         std::span<const std::byte> from, completions when,
                         const put_signal* signal) {
  if (in_.refuse_by_chance(rank)) return injection::retry(retry_reason::no_credit);
  operation* op = make(operation::type::put, rank, to, offset, from.size());
  op->when.remote = when.remote;
  keep_source(*op, from, when.local);
  if (signal != nullptr) {
    op->signals = true;
    op->signal_block = signal->memory->handle;
    op->signal_offset = signal->offset;
    op->signal_add = signal->add;
  }
  start(*op, from.size());
  return injection::pending();
}

injection transfers::get(int rank, const remote_memory& from, std::size_t offset,
                         std::span<std::byte> to, completion* local) {
  if (in_.refuse_by_chance(rank)) return injection::retry(retry_reason::no_credit);
  operation* op = make(operation::type::get, rank, from, offset, to.size());
  op->when.local = local;
  op->to = to.data();
  start(*op, 0);
  return injection::pending();
}

injection transfers::atomic(int rank, const remote_memory& at, std::size_t offset,
                            const atomic_operation& what, std::uint64_t* old, completions when) {
  if (in_.refuse_by_chance(rank)) return injection::retry(retry_reason::no_credit);
  operation* op = make(operation::type::atomic, rank, at, offset, what.width);
  op->when = when;
  op->to = reinterpret_cast<std::byte*>(old);
  op->atomic = what;
  start(*op, what.width);
  return injection::pending();
}

injection transfers::send_long(const message& m, const remote_memory& to, std::size_t offset,
                               std::span<const std::byte> from, completion* local,
                               bool from_handler) {
  if (!messages_.admits(m.source, m.destination, m.kind, from_handler)) {
    return injection::retry(retry_reason::throttled);
  }
  if (in_.refuse_by_chance(m.source)) return injection::retry(retry_reason::no_credit);
  operation* op = make(operation::type::with_message, m.source, to, offset, from.size());
  keep_source(*op, from, local);
  op->then = messages_.make(m, 0, m.arguments.size());
  start(*op, m.arguments.size() + from.size());
  static_cast<flight&>(*op->then) = static_cast<const flight&>(*op);
  if (in_.conflicts) op->then->from = write_conflicts::share(op->from);
  return injection::pending();
}

injection transfers::flush(int rank, int peer, completion* when) {
  initiator& by = at(rank);
  const std::uint32_t remaining =
      peer < 0 ? by.under_way : messages_.peer(rank, peer, operation_lane).operations;
  if (remaining == 0) return injection::done();
  by.flushes.push_back({peer, by.issued, remaining, when});
  return injection::pending();
}

void transfers::at_target(flight& self, duration complete) {
  auto& op = static_cast<operation&>(self);
  op.in->ranks.events().schedule(complete, op.destination, op.source, {&transfers::touch, &op, 0});
}

void transfers::touch(void* subject, std::uint64_t) {
  auto& op = *static_cast<operation*>(subject);
  transfers& home = *op.home;
  const duration now = op.in->ranks.events().now();
  std::byte* base = home.memory_.base(op.block);
  switch (op.what) {
    case operation::type::get:
      op.buffer.resize(op.bytes);
      if (base != nullptr) copy_bytes(op.buffer.data(), base + op.offset, op.bytes);
      return home.answer(op, op.bytes);
    case operation::type::atomic:
      if (base != nullptr) op.old = apply_atomic(base + op.offset, op.atomic);
      if (op.in->conflicts) op.in->conflicts->learn(op.destination, op.from);
      op.in->ranks.notify(op.destination, now);
      return home.answer(op, op.bytes);
    case operation::type::put: home.write(op); break;
    case operation::type::with_message:
      home.write(op);
      home.messages_.arrived(std::exchange(op.then, nullptr), now);
      break;
  }
  op.in->ranks.events().schedule(now + op.in->acknowledgement(op), op.initiator, op.destination,
                                 {&transfers::finish, &op, 0});
}

void transfers::write(operation& op) {
  if (std::byte* base = memory_.base(op.block); base != nullptr) {
    store_words(base + op.offset, op.data, op.bytes);
    if (in_.conflicts) {
      in_.conflicts->land(op.destination, op.initiator, {base + op.offset, op.bytes}, op.from);
    }
  }
  if (op.signals) {
    const atomic_operation add{atomic_kind::add, 8, op.signal_add, 0};
    if (std::byte* base = memory_.base(op.signal_block); base != nullptr) {
      apply_atomic(base + op.signal_offset, add);
    }
  }
  in_.ranks.notify(op.destination, in_.ranks.events().now());
}

void transfers::answer(operation& op, std::uint64_t bytes) {
  op.coming_back = true;
  std::swap(op.source, op.destination);
  op.landed = &transfers::back_home;
  in_.prepare(op, bytes);
  in_.launch_now(op);
}

void transfers::back_home(flight& self, duration complete) {
  auto& op = static_cast<operation&>(self);
  op.in->ranks.events().schedule(complete, op.initiator, op.source, {&transfers::finish, &op, 0});
}

void transfers::finish(void* subject, std::uint64_t) {
  auto& op = *static_cast<operation*>(subject);
  op.home->complete(op);
}

void transfers::complete(operation& op) {
  if (op.what == operation::type::get) copy_bytes(op.to, op.buffer.data(), op.bytes);
  if (op.what == operation::type::atomic && op.to != nullptr) {
    std::memcpy(op.to, &op.old, sizeof op.old);
  }
  if (in_.conflicts) {
    if (op.coming_back) in_.conflicts->learn_from(op.initiator, op.source);
    if (!op.coming_back) in_.conflicts->heard(op.initiator, op.destination, op.from);
    in_.conflicts->let_go(op.from);
  }
  const duration now = in_.ranks.events().now();
  if (op.when.local != nullptr) queue(op.initiator, now, op.when.local);
  if (op.when.remote != nullptr) queue(op.initiator, now, op.when.remote);
  initiator& by = at(op.initiator);
  --by.under_way;
  --op.target->operations;
  const int peer = op.coming_back ? op.source : op.destination;
  for (pending_flush& each : by.flushes) {
    if (op.number >= each.before || (each.peer >= 0 && each.peer != peer)) continue;
    if (--each.remaining == 0) queue(op.initiator, now, each.whom);
  }
  std::erase_if(by.flushes, [](const pending_flush& each) { return each.remaining == 0; });
  in_.ranks.notify(op.initiator, now);
  if (op.buffer.capacity() > kept_buffer_bytes) op.buffer = {};
  free_.push_back(&op);
}

void transfers::queue(int rank, duration when, completion* whom) {
  at(rank).stages.push_back({when, whom});
}

int transfers::tell(int rank) {
  initiator& by = at(rank);
  int count = 0;
  while (by.told_count < by.stages.size()) {
    completion* whom = by.stages[by.told_count++].whom;
    ++count;
    if (whom->tell != nullptr) whom->tell(*whom);
  }
  by.stages.clear();
  by.told_count = 0;
  return count;
}

duration transfers::next_told(int rank) const noexcept {
  const initiator& by = ranks_[static_cast<std::size_t>(rank)];
  return by.stages.empty() ? duration::max() : by.stages.front().when;
}

}  // namespace upwash::conduit::sim
