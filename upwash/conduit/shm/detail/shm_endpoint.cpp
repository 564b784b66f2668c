// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The endpoint, and its sends. What arrives is taken in shm_polling.cpp; rooms for messages stand
// in shm_rooms.cpp, memory in shm_memory.cpp, waiting in shm_waiting.cpp.
#include "upwash/conduit/shm/detail/shm_endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/base/process.hpp"

namespace upwash::conduit::shm_detail {
namespace {

constexpr int most_hosted = 65536;  // local numbers have 16 bits
constexpr int few_processes = 8;    // whose rings are looked at one by one

bool attaches(const settings& values) { return values.text("shm_cma") == "auto"; }

capabilities describe(std::size_t medium_bytes, bool attaches) {
  peer_capabilities any;
  any.direct_access = true;
  any.remote_write = true;
  any.private_reads = true;
  any.reads_aside = attaches;
  any.remote_completion = true;
  any.put_signal = true;
  any.long_messages = true;
  any.in_place = true;
  any.atomics = atomic_set::all();
  any.medium_bytes = medium_bytes;
  capabilities can;
  can.name = "shm";
  can.set_all(any);  // pretended nodes are one machine all the same
  return can;
}

reader_options options_of(const settings& values, patience::policy waiting) {
  reader_options options;
  options.attach = attaches(values);
  options.attach_small = values.bytes("shm_cma_small");
  if (options.attach && waiting == patience::policy::yield) {
    // The pipeline needs the owner's processor, which it shares: that switch costs more than pages.
    options.attach_small = std::max<std::size_t>(options.attach_small, std::size_t{64} << 10U);
    log(log_level::info, "shm",
        fmt::format("private memory to {} KiB is read by attach: processors are shared",
                    options.attach_small >> 10U));
  }
  const std::uint64_t pipeline = values.bytes("shm_pipeline");
  constexpr std::uint64_t least = pipe_slots * 4096;
  if (pipeline < least || pipeline % least != 0 || pipeline > (std::uint64_t{1} << 30U)) {
    throw error(
        error_kind::configuration,
        fmt::format("shm_pipeline={}: expected a multiple of {} up to 1g", pipeline, least));
  }
  options.slot_bytes = static_cast<std::size_t>(pipeline / pipe_slots);
  return options;
}

}  // namespace

shm_endpoint::shm_endpoint(bootstrap& boot, const settings& values)
    : boot_(boot),
      mesh_(boot, values),
      patience_(
          patience::choose(values, mesh_.polling(), static_cast<std::size_t>(mesh_.self()), "shm")),
      ranks_(boot.layout()),
      hosted_(ranks_.count_of(mesh_.self())),
      first_rank_(ranks_.first_of(mesh_.self())),
      fake_nodes_(static_cast<int>(values.integer("fake_nodes"))),
      burn_(values.text("compute") == "burn"),
      thread_naps_(values.text("progress_wait") == "nap"),
      thread_sleeps_(mesh_.peer(mesh_.self()).thread_sleeps != 0),
      describe_(shm_detail::describe(mesh_.shape().medium_bytes(), attaches(values))),
      announcing_(mesh_.processes() > few_processes),
      announced_(static_cast<std::size_t>(mesh_.processes())),
      seen_(announced_.size()),
      heard_(announced_.size()),
      came_(static_cast<std::size_t>(hosted_)),
      sinks_(came_.size()),
      early_(sinks_.size()),
      early_memory_(sinks_.size()),
      reader_(*this, mesh_.processes(), options_of(values, patience_.chosen())),
      server_(*this, mesh_.processes()) {
  if (hosted_ > most_hosted) {
    throw error(error_kind::configuration,
                fmt::format("{} ranks in a process: the shm conduit hosts at most {}", hosted_,
                            most_hosted));
  }
  if (fake_nodes_ < 0 || fake_nodes_ > world_size()) {
    throw error(error_kind::configuration,
                fmt::format("fake_nodes={}: expected 0 to the number of ranks, {} "
                            "(UPWASH_FAKE_NODES)",
                            fake_nodes_, world_size()));
  }
  out_.resize(static_cast<std::size_t>(mesh_.processes()) * lane_count);
  throttle_.resize(static_cast<std::size_t>(mesh_.processes()), &not_connected_);
  for (int p = 0; p < mesh_.processes(); ++p) {
    for (const lane kind : {lane::request, lane::reply, lane::memory}) {
      in_.emplace_back(mesh_.shape().ring(mesh_.inbound(p), kind));
    }
  }
  log(log_level::info, "shm",
      fmt::format(
          "{} rank{} in {} process{}, {} here; rings of {} lines and {} bytes; payloads to {}; "
          "{} KiB inbound each",
          world_size(), world_size() == 1 ? "" : "s", mesh_.processes(),
          mesh_.processes() == 1 ? "" : "es", hosted_, mesh_.shape().line_count,
          mesh_.shape().payload_bytes, medium_bytes(), mesh_.shape().total() / 1024));
}

location shm_endpoint::place(int rank) const noexcept {
  if (fake_nodes_ > 0) {
    const auto node = static_cast<int>(std::int64_t{rank} * fake_nodes_ / world_size());
    return {node, node, process_of(rank)};
  }
  const int process = process_of(rank);
  return {0, mesh_.sockets()[static_cast<std::size_t>(process)], process};
}

void shm_endpoint::attach(int rank, sink* receiver) {
  const std::lock_guard guard(inbound_);
  sinks_[static_cast<std::size_t>(rank - first_rank_)] = receiver;
}

// Flattened, as take: a call for each part of a line costs a twentieth of the message rate.
/// Calls nothing in the common case: a short message between processes of one rank each, with
/// credit there. With a payload it keeps more in registers than there are for free.
[[gnu::flatten]] injection shm_endpoint::send_small(small_message m, const std::byte* arguments,
                                                    std::span<const std::byte> payload) {
  return payload.empty() ? send_by_line(m, arguments, {})
                         : send_with_payload(m, arguments, payload);
}

[[gnu::noinline]] injection shm_endpoint::send_with_payload(small_message m,
                                                            const std::byte* arguments,
                                                            std::span<const std::byte> payload) {
  return send_by_line(m, arguments, payload);
}

inline injection shm_endpoint::send_by_line(small_message m, const std::byte* arguments,
                                            std::span<const std::byte> payload) {
  if (!ranks_.one_each()) [[unlikely]]
    return send_whole(m, arguments, payload);
  const auto process = static_cast<std::size_t>(m.destination());
  // Relaxed: as in throttled(). What is not connected has a flag that is set, or no way by lines.
  if (m.kind() == lane::request && !m.from_handler() &&
      throttle_[process]->load(std::memory_order_relaxed) != 0) [[unlikely]] {
    return send_whole(m, arguments, payload);
  }
  sender_ring& ring = out_[process * lane_count + static_cast<std::size_t>(m.kind())];
  if (!ring.push_line(m, arguments, payload, 0, 0)) [[unlikely]]
    return send_whole(m, arguments, payload);
  return announcing_ ? sent_and_announced(m.destination()) : injection::done();
}

[[gnu::noinline]] injection shm_endpoint::sent_and_announced(int process) {
  announce(process);
  return injection::done();
}

[[gnu::noinline]] injection shm_endpoint::send_whole(small_message m, const std::byte* arguments,
                                                     std::span<const std::byte> payload) {
  return send(m.with(arguments, payload), m.from_handler());
}

[[gnu::flatten]] injection shm_endpoint::send(const message& m, bool from_handler) {
  ensure<check_level::full>(
      m.payload.size() <= medium_bytes() && m.arguments.size() <= max_argument_bytes,
      "a message fits into a line and its payload", m.payload.size(), m.arguments.size());
  const int process = process_of(m.destination);
  const std::uint16_t source = local_of(m.source);
  const std::uint16_t destination = local_of(m.destination);
  injection result;
  if (m.kind == lane::memory) {
    const std::lock_guard guard(outbound_);
    result = out(process, m.kind).push(m, source, destination);
  } else if (m.kind == lane::request && !from_handler && throttled(process)) {
    return injection::retry(retry_reason::throttled);
  } else {
    sender_ring& ring = out(process, m.kind);
    if (scheduler_ != nullptr && process == mesh_.self() && !ring.has_room_open() &&
        handled_here(m)) {
      return injection::done();
    }
    result = ring.push(m, source, destination);
  }
  if (result.what != outcome::done) {
    refused_ = refused_ || m.kind != lane::memory;  // that one is the progress thread's as well
    return result;
  }
  if (announced_to(process)) announce(process);
  if (m.kind == lane::memory) wake(process);
  return result;
}

/// At the first message of a lane to a process: most pairs of a large job never have one.
[[gnu::cold, gnu::noinline]] void shm_endpoint::connect(sender_ring& ring, int process, lane kind) {
  try {
    mesh_.reach(process);
  } catch (const error&) {
    wait_for_notice_of_death(boot_);
    throw;
  }
  std::byte* const group = mesh_.outbound(process);
  const bool by_line = ranks_.one_each() && process != mesh_.self() && kind != lane::memory;
  ring = sender_ring(mesh_.shape().ring(group, kind), by_line);
  if (kind == lane::request) {
    throttle_[static_cast<std::size_t>(process)] = &throttle_flag(group);
  }
}

/// A message to another rank of this process is handled at once, where it lies: that rank is in a
/// call of the library, as when it polls. Not from a handler, since what this rank is in the midst
/// of sending could be answered before it is sent, and not before what the rings still hold (E1).
bool shm_endpoint::handled_here(const message& m) {
  const std::size_t local = local_of(m.destination);
  if (polling_ || m.source == m.destination || sinks_[local] == nullptr ||
      early_.waits_for(local) ||
      !out(mesh_.self(), m.kind).drained_by(in(mesh_.self(), m.kind).taken())) {
    return false;
  }
  polling_ = true;
  hand_over(m, local);
  polling_ = false;
  return true;
}

/// Its handler runs as that rank, whoever's turn it is.
void shm_endpoint::hand_over(const message& m, std::size_t local) {
  if (scheduler_ == nullptr) return sinks_[local]->deliver(m);
  const int running = process::current_rank();
  process::set_current_rank(scheduler_->rank_at(local));
  sinks_[local]->deliver(m);
  process::set_current_rank(running);
  ++came_[local];
  scheduler_->wake(local);
}

void shm_endpoint::announce(int process) noexcept {
  if (!announcing_) {
    to_self_.store(true, std::memory_order_release);  // after the message, as below
    return;
  }
  // Relaxed: only the numbers must differ. Two threads may store theirs in either order: each
  // store comes after its message, and whoever reads the later one finds both.
  const std::uint16_t count =
      announced_[static_cast<std::size_t>(process)].fetch_add(1, std::memory_order_relaxed);
  // Release: who sees the count sees the message.
  mesh_.arrivals_at(process).store(static_cast<std::uint16_t>(count + 1),
                                   std::memory_order_release);
}

void shm_endpoint::throttle(bool on) {
  throttling_ += on ? 1 : -1;
  if (throttling_ != (on ? 1 : 0)) return;  // other ranks of this process have it on
  for (int p = 0; p < mesh_.processes(); ++p) {
    // Relaxed: as its reader.
    throttle_flag(mesh_.inbound(p)).store(on ? 1 : 0, std::memory_order_relaxed);
  }
}

bool shm_endpoint::send_control(int process, control what, const void* arguments,
                                std::size_t bytes) {
  message m;
  m.handler = {static_cast<std::uint32_t>(what), control_module};
  m.kind = lane::memory;
  m.arguments = {static_cast<const std::byte*>(arguments), bytes};
  {
    const std::lock_guard guard(outbound_);
    if (out(process, lane::memory).push(m, 0, 0).what != outcome::done) return false;
  }
  if (announced_to(process)) announce(process);
  wake(process);
  return true;
}

void shm_endpoint::give_up(std::string_view why) {
  boot_.abort(first_rank_, 1, why);
  std::abort();  // not reached; the compiler does not believe a virtual function
}

}  // namespace upwash::conduit::shm_detail
