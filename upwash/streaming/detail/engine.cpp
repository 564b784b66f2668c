// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/streaming/detail/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/streaming/detail/service.hpp"

namespace upwash::streaming {
namespace {

constexpr int most_direct = 64;  ///< members of a team that are all next hops, where nobody says

model::grid grid_for(const team& among, const stream_options& with) {
  if (with.dimensions < 0 || with.dimensions > model::grid::most_dimensions) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a stream of {} dimensions; 1 to {}, or 0 for a choice by "
                            "the size of the team",
                            among.here().rank(), with.dimensions, model::grid::most_dimensions));
  }
  const int chosen = with.dimensions != 0 ? with.dimensions : among.size() <= most_direct ? 1 : 2;
  return model::grid::near_cube(among.size(), chosen);
}

void check(const team& among, const stream_options& with) {
  const auto wrong = [&](const std::string& what) {
    throw error(error_kind::argument,
                fmt::format("rank {}: stream: {}", among.here().rank(), what));
  };
  if (!(with.threshold > 0) || !(with.cutoff >= 0) || with.threshold + with.cutoff > 1 + 1e-12) {
    wrong(
        fmt::format("threshold {} and cutoff {}; more than 0, not below 0, and 1 at most together",
                    with.threshold, with.cutoff));
  }
  if (with.timeout < duration()) {
    wrong(fmt::format("a timeout of {} us; 0 for none, or more", with.timeout.us()));
  }
}

std::uint32_t word_at(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

engine::engine(const team& among, std::size_t record_bytes, const stream_options& with)
    : among_(among),
      here_(among.here()),
      number_(among.here().service<service>().next_number(among)),
      record_bytes_(record_bytes),
      with_(with),
      grid_(grid_for(among, with)),
      end_(among, *this) {
  check(among, with);
  capacity_ = with.buffer_bytes != 0 ? with.buffer_bytes : medium_limit(here_);
  // At least one record fits, whatever was asked for.
  capacity_ = std::max(capacity_, record_bytes_ + header_bytes(true));
  threshold_ = std::max<std::size_t>(
      static_cast<std::size_t>(with.threshold * static_cast<double>(capacity_)), 1);
  cutoff_ = static_cast<std::size_t>(with.cutoff * static_cast<double>(capacity_));
  if (record_bytes_ != 0) cutoff_ = capacity_;  // all alike: combined
  plan_ways();
}

/// Which buffer takes what is for each member: one for each next hop and kind of content.
void engine::plan_ways() {
  std::map<std::pair<int, bool>, std::uint32_t> known;
  const int me = among_.rank();
  for (int to = 0; to < among_.size(); ++to) {
    const int hop = to == me ? me : grid_.next_hop(me, to);
    const bool routed = hop != to;
    const auto [at, fresh] =
        known.try_emplace({hop, routed}, static_cast<std::uint32_t>(buffers_.size()));
    if (fresh) {
      buffer& made = buffers_.emplace_back();
      made.hop = among_.world_rank(hop);
      made.routed = routed;
    }
    ways_.push_back({at->second});
  }
}

void engine::refuse(int destination) const {
  throw error(error_kind::argument,
              fmt::format("rank {}: stream {}: an item for member {} of a team of {}", here_.rank(),
                          number_, destination, among_.size()));
}

void engine::join() { here_.service<service>().add(*this); }
void engine::leave() { here_.service<service>().remove(*this); }

void engine::handler_threw(std::size_t left, const char* what) const {
  throw error(error_kind::fault,
              fmt::format("rank {}: stream {}: the handler of item {} threw: {}", here_.rank(),
                          number_, seen_.delivered - left + 1, what));
}

void engine::open(buffer& into) {
  if (closed_) {
    throw error(error_kind::argument,
                fmt::format("rank {}: stream {}: an item after the stream was closed", here_.rank(),
                            number_));
  }
  if (spare_.empty()) {
    into.room.resize(capacity_);
    memory_ += capacity_;
    seen_.buffer_memory = std::max(seen_.buffer_memory, memory_);
  } else {
    into.room = std::move(spare_.back());
    spare_.pop_back();
  }
  into.data = into.room.data();
  into.used = 0;
  if (with_.timeout != duration()) into.since = here_.now();
}

void engine::add(std::uint32_t index, int destination, std::span<const std::byte> record) {
  const std::size_t header = header_bytes(buffers_[index].routed);
  const std::size_t bytes = header + record.size();
  if (record.size() > cutoff_ || bytes > capacity_) {
    // Behind what waits for the same hop, where order counts.
    if (with_.ordered && buffers_[index].data != nullptr) send_buffer(buffers_[index], seen_.full);
    return send_alone(buffers_[index], destination, record);
  }
  // Sending may run handlers, which fill buffers again.
  while (buffers_[index].data != nullptr && buffers_[index].used + bytes > capacity_) {
    send_buffer(buffers_[index], seen_.full);
  }
  buffer& into = buffers_[index];
  if (into.data == nullptr) open(into);
  std::byte* at = into.data + into.used;
  if (into.routed) {
    const auto to = static_cast<std::uint32_t>(destination);
    std::memcpy(at, &to, sizeof to);
    at += sizeof to;
  }
  if (record_bytes_ == 0) {
    const auto length = static_cast<std::uint32_t>(record.size());
    std::memcpy(at, &length, sizeof length);
    at += sizeof length;
  }
  if (!record.empty()) std::memcpy(at, record.data(), record.size());
  into.used += bytes;
  if (into.used >= threshold_) send_buffer(into, seen_.full);
}

/// The buffer is empty before the message leaves: handlers that run meanwhile may fill it.
void engine::send_buffer(buffer& from, std::uint64_t& cause) {
  std::vector<std::byte> full = std::move(from.room);
  const std::size_t used = std::exchange(from.used, 0);
  from.data = nullptr;
  ++cause;
  const std::span<const std::byte> bytes = std::span(full).first(used);
  if (with_.ordered) {
    send_in_order(from, bytes);
  } else {
    send_message(from.hop, from.routed, bytes);
  }
  spare_.push_back(std::move(full));
}

/// While a message waits for credit handlers run, and what they send must not overtake it.
void engine::send_in_order(buffer& from, std::span<const std::byte> bytes) {
  if (from.sending) {
    from.behind.emplace_back(bytes.begin(), bytes.end());
    return;
  }
  from.sending = true;
  send_message(from.hop, from.routed, bytes);
  while (!from.behind.empty()) {
    const std::vector<std::byte> next = std::move(from.behind.front());
    from.behind.pop_front();
    send_message(from.hop, from.routed, next);
  }
  from.sending = false;
}

/// One record in a message of its own: to its destination at once, or on its way where order
/// counts.
void engine::send_alone(buffer& way, int destination, std::span<const std::byte> record) {
  const bool routed = way.routed && with_.ordered;
  std::vector<std::byte> bytes;
  bytes.reserve(header_bytes(routed) + record.size());
  const auto word = [&](std::size_t value) {
    const auto small = static_cast<std::uint32_t>(value);
    const auto* first = reinterpret_cast<const std::byte*>(&small);
    bytes.insert(bytes.end(), first, first + sizeof small);
  };
  if (routed) word(static_cast<std::size_t>(destination));
  if (record_bytes_ == 0) word(record.size());
  bytes.insert(bytes.end(), record.begin(), record.end());
  ++seen_.uncombined;
  if (with_.ordered) return send_in_order(way, bytes);
  send_message(among_.world_rank(destination), false, bytes);
}

void engine::send_message(int hop, bool routed, std::span<const std::byte> bytes) {
  ++seen_.messages;
  seen_.bytes += bytes.size();
  send_medium<&handle_records>(
      here_, hop, bytes, number_, among_.id(),
      static_cast<std::uint32_t>(routed ? content::routed : content::arrived));
}

/// As send_buffer, where one must not wait: false, and all is as before, when there is no credit.
bool engine::try_send(buffer& from, std::uint64_t& cause) {
  if (from.sending || from.used > medium_limit(here_))
    return false;  // goes when it is full, or asked for
  const auto what = static_cast<std::uint32_t>(from.routed ? content::routed : content::arrived);
  const auto sent = try_send_medium<&handle_records>(
      here_, from.hop, std::span(from.room).first(from.used), number_, among_.id(), what);
  if (sent.what != conduit::outcome::done) return false;
  ++cause;
  ++seen_.messages;
  seen_.bytes += from.used;
  from.used = 0;
  from.data = nullptr;
  spare_.push_back(std::move(from.room));
  return true;
}

void engine::send_all(std::uint64_t& cause) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].data != nullptr && buffers_[i].used != 0) send_buffer(buffers_[i], cause);
  }
}

int engine::progress() {
  const std::uint64_t now_seen = seen_.pushed + seen_.delivered + seen_.forwarded;
  const bool quiet = std::exchange(activity_, now_seen) == now_seen;
  const bool idle = quiet && with_.flush_when_idle;
  // Who waits looks once more before it sleeps.
  const int again = !quiet && with_.flush_when_idle ? 1 : 0;
  if (!idle && with_.timeout == duration()) return again;
  const duration oldest = with_.timeout == duration() ? duration() : here_.now() - with_.timeout;
  int sent = 0;
  for (buffer& each : buffers_) {
    if (each.data == nullptr || each.used == 0 || (!idle && each.since > oldest)) continue;
    sent += try_send(each, idle ? seen_.idle : seen_.timed_out) ? 1 : 0;
  }
  return sent;
}

void engine::received(content what, std::span<const std::byte> payload) {
  if (what == content::arrived) {
    deliver_all(payload);
  } else {
    route_all(payload);
  }
}

void engine::deliver_all(std::span<const std::byte> payload) {
  if (record_bytes_ != 0) {
    seen_.delivered += payload.size() / record_bytes_;
    return deliver(payload);
  }
  while (!payload.empty()) {
    const std::size_t length = word_at(payload);
    ++seen_.delivered;
    deliver(payload.subspan(sizeof(std::uint32_t), length));
    payload = payload.subspan(sizeof(std::uint32_t) + length);
  }
}

void engine::route_all(std::span<const std::byte> payload) {
  while (!payload.empty()) {
    const auto to = static_cast<int>(word_at(payload));
    payload = payload.subspan(sizeof(std::uint32_t));
    std::size_t length = record_bytes_;
    if (record_bytes_ == 0) {
      length = word_at(payload);
      payload = payload.subspan(sizeof(std::uint32_t));
    }
    const auto record = payload.first(length);
    payload = payload.subspan(length);
    if (to == among_.rank()) {
      ++seen_.delivered;
      deliver(record);
    } else {
      ++seen_.forwarded;
      add(ways_[static_cast<std::size_t>(to)].buffer, to, record);
    }
  }
}

std::string engine::describe_pending() const {
  std::size_t waiting = 0;
  for (const buffer& each : buffers_) waiting += each.data != nullptr ? each.used : 0;
  return waiting == 0 ? std::string()
                      : fmt::format("stream {}: {} bytes wait in buffers", number_, waiting);
}

}  // namespace upwash::streaming
