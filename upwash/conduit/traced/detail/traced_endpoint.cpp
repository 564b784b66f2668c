// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/traced/detail/traced_endpoint.hpp"

#include "upwash/observe/standing.hpp"

namespace upwash::conduit::traced {
namespace {

using observe::trace_kind;

bool taken(const injection& result) noexcept { return result.what != outcome::retry; }

}  // namespace

void traced_sink::deliver(const message& arrived) {
  if (!into_.writes(arrived.kind)) return receiver_->deliver(arrived);
  const duration begin = into_.now();
  const std::uint32_t number = into_.number_of_arrival(arrived);
  receiver_->deliver(arrived);
  into_.arrived(arrived, number, begin);
  see();
}

observe::standing traced_sink::standing() const {
  return receiver_ == nullptr ? sink::standing() : receiver_->standing();
}

void traced_endpoint::attach(int rank, sink* receiver) {
  sink_of(rank).hand_to(receiver);
  within_.attach(rank, receiver == nullptr ? nullptr : &sink_of(rank));
}

injection traced_endpoint::send(const message& m, bool from_handler) {
  rank_trace& by = trace_of(m.source);
  if (!by.writes(m.kind)) return within_.send(m, from_handler);
  const duration begin = by.now();
  const injection result = within_.send(m, from_handler);
  if (taken(result)) by.sent(m, begin);
  return result;
}

void traced_endpoint::commit(const reservation& room, const message& m) {
  rank_trace& by = trace_of(m.source);
  const duration begin = by.now();
  within_.commit(room, m);
  if (by.writes(m.kind)) by.sent(m, begin);
}

injection traced_endpoint::send_long(const message& m, const remote_memory& to, std::size_t offset,
                                     std::span<const std::byte> from, completion* local,
                                     bool from_handler) {
  rank_trace& by = trace_of(m.source);
  const duration begin = by.now();
  const injection result = within_.send_long(m, to, offset, from, local, from_handler);
  if (taken(result) && by.writes(m.kind)) {
    by.touched(trace_kind::put, m.destination, from.size(), begin, "put of a long message");
    by.sent(m, begin);
  }
  return result;
}

injection traced_endpoint::put(int rank, const remote_memory& to, std::size_t offset,
                               std::span<const std::byte> from, completions when,
                               const put_signal* signal) {
  rank_trace& by = trace_of(rank);
  const duration begin = by.now();
  const injection result = within_.put(rank, to, offset, from, when, signal);
  if (taken(result)) by.touched(trace_kind::put, to.owner, from.size(), begin, "put");
  return result;
}

injection traced_endpoint::get(int rank, const remote_memory& from, std::size_t offset,
                               std::span<std::byte> to, completion* local) {
  rank_trace& by = trace_of(rank);
  const duration begin = by.now();
  const injection result = within_.get(rank, from, offset, to, local);
  if (taken(result)) by.touched(trace_kind::get, from.owner, to.size(), begin, "get");
  return result;
}

injection traced_endpoint::atomic(int rank, const remote_memory& at, std::size_t offset,
                                  const atomic_operation& operation, std::uint64_t* old,
                                  completions when) {
  rank_trace& by = trace_of(rank);
  const duration begin = by.now();
  const injection result = within_.atomic(rank, at, offset, operation, old, when);
  if (taken(result)) by.touched(trace_kind::atomic, at.owner, operation.width, begin, "atomic");
  return result;
}

injection traced_endpoint::flush(int rank, int peer, completion* when) {
  rank_trace& by = trace_of(rank);
  const duration begin = by.now();
  const injection result = within_.flush(rank, peer, when);
  if (taken(result)) by.touched(trace_kind::flush, peer, 0, begin, "flush");
  return result;
}

int traced_endpoint::poll(int rank) {
  sink_of(rank).see();
  return within_.poll(rank);
}

void traced_endpoint::close(int rank) {
  trace_of(rank).close();
  within_.close(rank);
}

void traced_endpoint::compute(int rank, duration time) {
  rank_trace& by = trace_of(rank);
  const duration begin = by.now();
  within_.compute(rank, time);
  by.touched(trace_kind::compute, -1, 0, begin, "compute");
}

}  // namespace upwash::conduit::traced
