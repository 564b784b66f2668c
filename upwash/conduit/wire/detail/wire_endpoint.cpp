// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of the endpoint: injection, credits and delivery. Memory stands in wire_memory.cpp,
// time and waiting in wire_waiting.cpp.
#include "upwash/conduit/wire/detail/wire_endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/base/process.hpp"

namespace upwash::conduit::wire {
namespace {

constexpr int packets_at_once = 64;  // in one poll
constexpr int most_hosted = 65536;   // local numbers have 16 bits
constexpr duration for_better_words = duration::from_us(500'000);
constexpr std::uint32_t polls_a_look = 4096;  // for a failure of the job

/// Few enough that what peers may send unasked fits into memory, enough to stay ahead of answers.
std::uint32_t window_for(int processes) {
  return static_cast<std::uint32_t>(std::clamp(1024 / processes, 8, 64));
}

capabilities describe(std::string_view name, const remote_access* memory, std::size_t medium) {
  peer_capabilities remote;
  remote.private_reads = true;
  remote.in_place = true;
  remote.medium_bytes = medium;
  if (memory != nullptr) {
    remote.remote_write = true;
    remote.atomics = memory->atomics();
  }
  peer_capabilities mapped = remote;  // the same agent for atomics, whoever asks
  mapped.direct_access = true;
  mapped.remote_write = true;
  mapped.remote_completion = true;
  capabilities can;
  can.name = name;
  can.set_all(remote);
  can.peers[static_cast<std::size_t>(nearness::process)] = mapped;
  if (memory != nullptr && memory->is_direct_in_node()) {
    can.peers[static_cast<std::size_t>(nearness::node)] = mapped;
  }
  return can;
}

}  // namespace

wire_endpoint::wire_endpoint(std::unique_ptr<transport> over, bootstrap& boot, wire_options options)
    : over_(std::move(over)),
      boot_(boot),
      options_(std::move(options)),
      ranks_(boot.layout()),
      self_(boot.process()),
      hosted_(ranks_.count_of(self_)),
      first_rank_(ranks_.first_of(self_)),
      start_(steady_now()),
      can_(wire::describe(options_.name, over_->memory(), payload_room(over_->packet_bytes()))),
      pool_(over_->packet_bytes()),
      links_(static_cast<std::size_t>(boot.process_count())),
      sent_(links_.size()),
      sinks_(static_cast<std::size_t>(hosted_)),
      early_(sinks_.size()),
      reads_(*over_, *this),
      aligned_(over_->packet_bytes() / sizeof(std::uint64_t) + 1),
      came_(sinks_.size()),
      open_ranks_(hosted_) {
  if (hosted_ > most_hosted) {
    throw error(error_kind::configuration,
                fmt::format("{} ranks in a process: the {} conduit hosts at most {}", hosted_,
                            options_.name, most_hosted));
  }
  if (options_.window == 0) options_.window = window_for(boot.process_count());
  log(log_level::info, options_.name,
      fmt::format(
          "{} ranks in {} processes on {} nodes, {} here; packets of {} bytes, {} of a lane "
          "to a process at a time; memory of peers {}",
          world_size(), boot.process_count(), options_.nodes.back() + 1, hosted_,
          over_->packet_bytes(), options_.window,
          over_->memory() == nullptr             ? "by messages"
          : over_->memory()->is_direct_in_node() ? "reached by the engine, in the node mapped"
                                                 : "reached by the engine"));
}

location wire_endpoint::place(int rank) const noexcept {
  const int process = process_of(rank);
  const int node = options_.nodes[static_cast<std::size_t>(process)];
  return {node, node, process};
}

void wire_endpoint::attach(int rank, sink* receiver) { sinks_[local_of(rank)] = receiver; }

// -- Going out ------------------------------------------------------------------------------------

bool wire_endpoint::has_room_open(const link& to, int source, int destination, lane kind) const {
  return to.rooms != 0 && std::any_of(rooms_.begin(), rooms_.end(), [&](const open_room& room) {
           return room.source == source && room.destination == destination && room.kind == kind;
         });
}

injection wire_endpoint::admit(link& to, int source, int destination, lane kind,
                               bool from_handler) {
  if (kind == lane::request && !from_handler && to.throttled()) {
    return injection::retry(retry_reason::throttled);
  }
  if (has_room_open(to, source, destination, kind)) {
    return injection::retry(retry_reason::reserved);
  }
  if (!to.has_credit(kind, options_.window)) return injection::retry(retry_reason::no_credit);
  return injection::done();
}

injection wire_endpoint::send(const message& m, bool from_handler) {
  ensure<check_level::full>(m.payload.size() <= can_.of(nearness::remote).medium_bytes &&
                                m.arguments.size() <= max_argument_bytes,
                            "a message fits into a packet", m.payload.size(), m.arguments.size());
  const int process = process_of(m.destination);
  const injection may = admit(link_of(process), m.source, m.destination, m.kind, from_handler);
  if (may.what != outcome::done) return may;
  outgoing& out = pool_.take();
  if (!m.payload.empty()) {
    std::memcpy(out.bytes + sizeof(packet_header), m.payload.data(), m.payload.size());
  }
  send_message(out, process, m);
  return injection::done();
}

/// A room takes no credit before it is sent: however many are open, others go on. So a lane may
/// have as many messages more under way as it had rooms.
injection wire_endpoint::prepare(int source, int destination, lane kind, std::size_t bytes,
                                 reservation& room) {
  ensure(bytes <= can_.of(nearness::remote).medium_bytes, "a room is no larger than a message",
         bytes);
  link& to = link_of(process_of(destination));
  const injection may = admit(to, source, destination, kind, false);
  if (may.what != outcome::done) return may;
  outgoing& in = pool_.take();
  rooms_.push_back({source, destination, kind, &in});
  ++to.rooms;
  room = {{in.bytes + sizeof(packet_header), bytes}, source, destination, kind, 0};
  return injection::done();
}

wire_endpoint::open_room wire_endpoint::close_room(const reservation& room) {
  const auto open = std::find_if(rooms_.begin(), rooms_.end(), [&room](const open_room& each) {
    return each.source == room.source && each.destination == room.destination &&
           each.kind == room.kind;
  });
  ensure(open != rooms_.end(), "a room is closed once", room.source, room.destination);
  const open_room closed = *open;
  *open = rooms_.back();
  rooms_.pop_back();
  --link_of(process_of(room.destination)).rooms;
  return closed;
}

void wire_endpoint::commit(const reservation& room, const message& m) {
  send_message(*close_room(room).in, process_of(m.destination), m);
}

void wire_endpoint::cancel(const reservation& room) { pool_.give_back(*close_room(room).in); }

/// Its payload lies in `out`.
void wire_endpoint::send_message(outgoing& out, int process, const message& m) {
  packet_header header;
  header.kind = static_cast<std::uint8_t>(m.kind);
  header.module = m.handler.module;
  header.handler_offset = m.handler.offset;
  header.argument_bytes = static_cast<std::uint8_t>(m.arguments.size());
  header.payload_bytes = static_cast<std::uint32_t>(m.payload.size());
  header.source = static_cast<std::uint16_t>(local_of(m.source));
  header.destination = static_cast<std::uint16_t>(ranks_.local_of(m.destination));
  link_of(process).count_sent(m.kind);
  link_of(process).tell(header, throttling_ > 0);
  out.set_header(header);
  const std::size_t at = arguments_at(m.payload.size());
  if (!m.arguments.empty()) std::memcpy(out.bytes + at, m.arguments.data(), m.arguments.size());
  out.size = at + m.arguments.size();
  out.tells = -1;
  if (process != self_) return send_packet(out, process);
  out.next = nullptr;
  (own_first_ == nullptr ? own_first_ : own_last_->next) = &out;
  own_last_ = &out;
}

void wire_endpoint::send_packet(outgoing& out, int process) {
  out.tell = &packet_sent;
  out.sender = this;
  ++under_way_;
  ++sent_[static_cast<std::size_t>(process)];
  if (over_->send(process, {out.bytes, out.size}, out) == outcome::done) packet_sent(out);
}

void wire_endpoint::packet_sent(completion& self) noexcept {
  auto& sent = static_cast<outgoing&>(self);
  wire_endpoint& here = *sent.sender;
  --here.under_way_;
  if (sent.tells >= 0) here.link_of(sent.tells).telling = false;
  here.pool_.give_back(sent);
}

void wire_endpoint::throttle(bool on) {
  throttling_ += on ? 1 : -1;
  if (throttling_ != (on ? 1 : 0)) return;  // other ranks of this process have it on
  for (int p = 0; p < boot_.process_count(); ++p) {
    if (p == self_) {
      link_of(p).learn_own(on);
    } else {
      list(p);
    }
  }
}

// -- Coming in ------------------------------------------------------------------------------------

bool wire_endpoint::packet(int process, std::span<const std::byte> bytes) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % sizeof(std::uint64_t) != 0) {
    std::memcpy(aligned_.data(), bytes.data(), bytes.size());
    bytes = std::as_bytes(std::span(aligned_)).first(bytes.size());
  }
  packet_header header;
  if (bytes.size() >= sizeof header) std::memcpy(&header, bytes.data(), sizeof header);
  const std::size_t least = header.kind == state_packet
                                ? sizeof header
                                : arguments_at(header.payload_bytes) + header.argument_bytes;
  if (bytes.size() < least || header.kind > state_packet || header.destination >= hosted_) {
    give_up(fmt::format("a packet of {} bytes from process {} is none of this job's", bytes.size(),
                        process));
  }
  link& from = link_of(process);
  from.learn(header);
  if (from.owes_throttling(throttling_ > 0)) list(process);
  if (header.kind == state_packet) return true;
  const auto kind = static_cast<lane>(header.kind);
  const bool more = take(process, header, bytes);
  if (from.count_taken(kind, options_.window)) list(process);
  return more;
}

/// Whether more may be taken at once.
bool wire_endpoint::take(int process, const packet_header& header,
                         std::span<const std::byte> bytes) {
  message m;
  m.handler = {header.handler_offset, header.module};
  m.kind = static_cast<lane>(header.kind);
  m.source = ranks_.first_of(process) + header.source;
  m.destination = first_rank_ + header.destination;
  m.payload = bytes.subspan(sizeof header, header.payload_bytes);
  m.arguments = bytes.subspan(arguments_at(header.payload_bytes), header.argument_bytes);
  if (header.module != conduit_module) return deliver(m);
  read_request wanted;
  std::memcpy(&wanted, m.arguments.data(), std::min(sizeof wanted, m.arguments.size()));
  reads_.serve(process, wanted);
  return true;
}

bool wire_endpoint::deliver(const message& arrived) {
  const std::size_t local = local_of(arrived.destination);
  if (sinks_[local] == nullptr || early_.waits_for(local)) [[unlikely]] {
    early_.keep(local, arrived);
    return true;
  }
  hand_over(arrived, local);
  return !sinks_[local]->acts_first();
}

/// Its handler runs as that rank, whoever's turn it is.
void wire_endpoint::hand_over(const message& m, std::size_t local) {
  if (scheduler_ == nullptr) return sinks_[local]->deliver(m);
  const int running = process::current_rank();
  process::set_current_rank(scheduler_->rank_at(local));
  sinks_[local]->deliver(m);
  process::set_current_rank(running);
  ++came_[local];
  scheduler_->wake(local);
}

int wire_endpoint::take_own() {
  int taken = 0;
  for (bool more = true; more && taken < packets_at_once && own_first_ != nullptr; ++taken) {
    outgoing& one = *own_first_;
    own_first_ = one.next;
    const packet_header header = one.header();
    more = take(self_, header, {one.bytes, one.size});
    link& own = link_of(self_);
    static_cast<void>(own.count_taken(static_cast<lane>(header.kind), options_.window));
    own.learn_own(throttling_ > 0);
    pool_.give_back(one);
  }
  return taken;
}

int wire_endpoint::poll(int rank) {
  if (scheduler_ == nullptr) return poll_for_all();
  return std::exchange(came_[local_of(rank)], 0);
}

int wire_endpoint::poll_for_all() {
  const int happened = poll_engine();
  if (happened != 0) options_.waits.reset();
  return happened;
}

int wire_endpoint::poll_engine() {
  if (polling_) return 0;  // E3: a handler never polls
  polling_ = true;
  struct reset {
    bool& flag;
    ~reset() { flag = false; }
  } const guard{polling_};
  // Also where something moves in each poll, and so nobody idles.
  if (++polls_ % polls_a_look == 0) look_for_deaths();
  int happened = 0;
  if (!early_.empty()) {
    happened += early_.deliver(
        sinks_, [this](const message& m, std::size_t local) { hand_over(m, local); });
  }
  happened += take_own();
  happened += over_->poll(*this, packets_at_once);
  if (!owing_.empty()) tell_what_is_owed();
  happened_ += static_cast<std::uint64_t>(happened);
  return happened;
}

void wire_endpoint::list(int process) noexcept {
  link& to = link_of(process);
  if (to.listed) return;
  to.listed = true;
  owing_.push_back(process);
}

/// Those that wait for credits, or must know of throttling, and to whom nothing else went.
void wire_endpoint::tell_what_is_owed() {
  std::erase_if(owing_, [this](int process) {
    link& to = link_of(process);
    const bool owes = to.owes(options_.window, throttling_ > 0);
    if (owes && to.telling) return false;  // one at a time
    to.listed = false;
    if (!owes) return true;
    outgoing& out = pool_.take();
    packet_header header;
    to.tell(header, throttling_ > 0);
    to.telling = true;
    out.set_header(header);
    out.size = sizeof header;
    out.tells = process;
    send_packet(out, process);
    return true;
  });
}

void wire_endpoint::lost(int process, std::string_view why) noexcept {
  if (process < 0)
    give_up(fmt::format("{}: a process that is not known is lost: {}", options_.name, why));
  if (lost_rank_ >= 0) return;
  log(log_level::info, options_.name, fmt::format("process {} is lost: {}", process, why));
  lost_rank_ = ranks_.first_of(process);
  lost_since_ = steady_now();
}

void wire_endpoint::unreachable(int process, std::string_view why) noexcept {
  give_up(fmt::format("{}: no way to rank {}: {}", options_.name, ranks_.first_of(process), why));
}

/// Whoever watches the processes knows how one ended, and has a while to say so.
int wire_endpoint::lost_rank() const noexcept {
  const bool is_due = lost_rank_ >= 0 && steady_now() - lost_since_ >= for_better_words;
  return is_due ? lost_rank_ : -1;
}

bool wire_endpoint::ask_for(int process, const read_request& what) {
  message m;
  m.handler = {0, conduit_module};
  m.kind = lane::memory;
  m.source = first_rank_;
  m.destination = ranks_.first_of(process);
  m.arguments = std::as_bytes(std::span(&what, 1));
  return send(m, true).what == outcome::done;
}

void wire_endpoint::give_up(const std::string& why) {
  boot_.abort(first_rank_, 1, why);
  std::abort();  // not reached; the compiler does not believe a virtual function
}

}  // namespace upwash::conduit::wire
