// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pushing, sending and the parameters of both. What arrives: delivery.cpp.
#include "upwash/streaming/detail/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/streaming/detail/service.hpp"

namespace upwash::streaming {
namespace {

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
  if (with.buffer_bytes == 0) wrong("buffers of 0 bytes; more, or `automatic`");
  if (with.timeout < duration()) {
    wrong(fmt::format("a timeout of {} us; 0 for none, or more", with.timeout.us()));
  }
  if (!(with.latency_cost >= 0) || with.memory == 0) {
    wrong(fmt::format("a latency cost of {} and {} bytes of memory; 0 or more, and more than 0",
                      with.latency_cost, with.memory));
  }
}

constexpr std::size_t usual_buffer = 16384;   ///< stays in the caches, and costs a message little
constexpr std::size_t look_after = 8192;      ///< bytes sent
constexpr std::size_t surely_combined = 512;  ///< records of one size; whatever the cutoff
constexpr std::size_t longest_record = UINT32_MAX;  ///< its length has 4 bytes

std::size_t share_of(std::size_t bytes, double share) {
  return static_cast<std::size_t>(share * static_cast<double>(bytes));
}

}  // namespace

engine::engine(const team& among, std::size_t record_bytes, const stream_options& with)
    : among_(among),
      here_(among.here()),
      home_(here_.service<service>()),
      name_{among.id(), home_.next_number(among)},
      record_bytes_(record_bytes),
      with_(with),
      virtual_time_(here_.endpoint().describe().virtual_time),
      message_bytes_(medium_limit(here_)),
      buffers_(record_bytes),
      ways_(among, with.dimensions, buffers_),
      end_(among, *this) {
  check(among, with);
  const bool chosen = with.buffer_bytes == stream_options::automatic;
  // At least one record fits, whatever was asked for.
  capacity_ = std::max(chosen ? std::min(message_bytes_, usual_buffer) : with.buffer_bytes,
                       record_bytes_ + most_header_bytes);
  const std::size_t cutoff = share_of(capacity_, with.cutoff);
  combined_ = record_bytes_ <= std::max(cutoff, surely_combined);
  apply({ways_.dimensions(), share_of(capacity_, with.threshold), cutoff, with.timeout});
}

void engine::set_parameters(const parameters& chosen) {
  const bool other_grid = !with_.ordered && chosen.dimensions != parameters_.dimensions;
  apply(chosen);
  if (other_grid) ways_.change_grid(chosen.dimensions);
  parameters_.dimensions = ways_.dimensions();
}

void engine::apply(const parameters& chosen) {
  parameters_ = chosen;
  parameters_.effective_bytes = std::clamp<std::size_t>(chosen.effective_bytes, 1, capacity_);
  parameters_.cutoff_bytes = std::min(chosen.cutoff_bytes, capacity_ - most_header_bytes);
  if (record_bytes_ != 0) parameters_.cutoff_bytes = combined_ ? record_bytes_ : 0;
  cutoff_ = parameters_.cutoff_bytes;
  buffers_.set_limits(
      parameters_.effective_bytes,
      std::min(capacity_, parameters_.effective_bytes + cutoff_ + most_header_bytes));
}

void engine::refuse(int destination) const {
  throw error(error_kind::argument,
              fmt::format("rank {}: stream {}: an item for member {} of a team of {}", here_.rank(),
                          name_.number, destination, among_.size()));
}

void engine::refuse_closed() const {
  throw error(error_kind::argument,
              fmt::format("rank {}: stream {}: an item after the stream was closed", here_.rank(),
                          name_.number));
}

void engine::join() { home_.add(*this); }

void engine::leave() {
  if (!std::exchange(open_, false)) return;
  home_.remove(*this);
}

// -- Pushing ------------------------------------------------------------------------------------

/// The long way of a record: the buffer has no room yet, or gets full.
void engine::add(std::uint32_t way, int destination, std::span<const std::byte> record) {
  if (!open_) refuse_closed();
  if (record.size() > cutoff_) return send_alone(way, destination, record, cause::alone);
  const std::size_t bytes = header_bytes(buffers_[way].kind, record_bytes_) + record.size();
  // Sending may run handlers, which fill buffers again.
  while (buffers_[way].first != nullptr && !buffers_.fits(way, bytes)) {
    send_buffer(way, cause::full);
  }
  if (buffers_[way].first == nullptr) {
    buffers_.open(way, parameters_.timeout != duration() ? here_.now() : duration());
  }
  buffer& into = buffers_[way];
  std::byte* at = into.next;
  if (is_routed(into.kind)) at = put_word(at, static_cast<std::size_t>(destination));
  if (record_bytes_ == 0) at = put_word(at, record.size());
  if (!record.empty()) std::memcpy(at, record.data(), record.size());
  into.next = at + record.size();
  ++into.items;
  if (into.next >= into.stop) send_buffer(way, cause::threshold);
}

/// A record in a message of its own: to its destination at once, or on its way and behind what
/// waits there, where order counts. Not copied where it can be sent as it is.
void engine::send_alone(std::uint32_t way, int destination, std::span<const std::byte> record,
                        cause why) {
  if (record.size() > longest_record) {
    throw error(
        error_kind::argument,
        fmt::format("rank {}: stream {}: an item of {} bytes for member {}; at most {}",
                    here_.rank(), name_.number, record.size(), destination, longest_record));
  }
  const bool own = destination == among_.rank();
  if (with_.ordered || own || record.size() > message_bytes_) {
    batch one = alone(way, destination, record);
    if (with_.ordered && buffers_[way].first != nullptr) send_buffer(way, cause::full);
    return send(way, std::move(one), why);
  }
  ++taken_;
  bytes_taken_ += record.size();
  here_.charge(conduit::cost::push, 1);
  send_now({why, content::alone, among_.world_rank(destination), 1, {}, record});
}

batch engine::alone(std::uint32_t way, int destination, std::span<const std::byte> record) {
  const bool on_its_way = with_.ordered && is_routed(buffers_[way].kind);
  const content kind = on_its_way ? buffers_[way].kind : content::alone;
  batch one{buffers_.new_room(header_bytes(kind, record_bytes_) + record.size())};
  std::byte* at = one.memory.bytes.get();
  if (on_its_way) at = put_word(at, static_cast<std::size_t>(destination));
  if (on_its_way && record_bytes_ == 0) at = put_word(at, record.size());
  if (!record.empty()) std::memcpy(at, record.data(), record.size());
  one.used = one.memory.size;
  one.items = 1;
  one.kind = kind;
  one.hop = on_its_way ? buffers_[way].hop : among_.world_rank(destination);
  return one;
}

void engine::push_urgent(int destination, std::span<const std::byte> record) {
  const std::uint32_t way = way_to(destination);
  if (with_.ordered) {
    throw error(error_kind::argument,
                fmt::format("rank {}: stream {}: an urgent item for member {}, in a stream whose "
                            "items keep their order",
                            here_.rank(), name_.number, destination));
  }
  if (!open_) refuse_closed();
  send_alone(way, destination, record, cause::urgent);
}

// -- Sending ------------------------------------------------------------------------------------

/// The buffer is empty before the message leaves: handlers that run meanwhile may fill it.
void engine::send_buffer(std::uint32_t way, cause why) { send(way, buffers_.take(way), why); }

batch engine::counted(batch&& what) {
  taken_ += what.items;
  bytes_taken_ += what.used;
  here_.charge(conduit::cost::push, what.items);
  here_.charge(conduit::cost::copy, what.used);
  return std::move(what);
}

void engine::send(std::uint32_t way, batch&& taken, cause why) {
  batch what = counted(std::move(taken));
  if (what.hop == here_.rank()) {
    own_.push_back(std::move(what));
    return deliver_own_and_wait();
  }
  if (what.used > message_bytes_ && !with_.ordered) {
    offer(std::move(what));
    if (here_.in_handler()) return;
    ++waiting_;
    home_.large().wait_for_room();
    --waiting_;
    return;
  }
  const departure leaving{why, what.kind, what.hop, what.items, what.since, what.bytes()};
  if (with_.ordered) {
    send_in_order(way, leaving);
  } else {
    send_now(leaving);
  }
  buffers_.give_back(std::move(what.memory));
  look_at_arrivals(what.used);
}

/// Too long for a message: the receiver fetches it. Where order counts it goes in pieces instead.
void engine::offer(batch&& what) {
  buffers_.give_away(what.memory);
  note({cause::fetched, what.kind, what.hop, what.items, what.since, what.bytes()});
  home_.large().offer(name_, std::move(what));
}

/// While a message waits for credit handlers run, and what they send must not overtake it.
void engine::send_in_order(std::uint32_t way, const departure& what) {
  line& behind = lines_[way];
  if (behind.sending) {
    behind.waiting.emplace_back(what, std::vector(what.bytes.begin(), what.bytes.end()));
    return;
  }
  behind.sending = true;
  send_now(what);
  while (!behind.waiting.empty()) {
    auto [next, bytes] = std::move(behind.waiting.front());
    behind.waiting.pop_front();
    next.bytes = bytes;
    send_now(next);
  }
  behind.sending = false;
}

/// Peers wait for the room of what they sent: who only pushes takes it, too.
void engine::look_at_arrivals(std::size_t sent) {
  unlooked_ += sent;
  if (unlooked_ < look_after || here_.in_handler() || waiting_ != 0) return;
  unlooked_ = 0;
  ++waiting_;
  here_.progress();
  --waiting_;
}

void engine::send_now(const departure& what) {
  ++waiting_;
  send_medium<&handle_records>(here_, what.hop, what.bytes, name_, what.kind);
  --waiting_;
  note(what);
}

/// As send_buffer, where one must not wait: false, and all is as before, when there is no credit.
bool engine::try_send(std::uint32_t way, cause why) {
  const buffer& from = buffers_[way];
  if (from.hop == here_.rank()) {
    own_.push_back(counted(buffers_.take(way)));  // handed over by progress
    return true;
  }
  if (from.used() > message_bytes_) {
    if (with_.ordered) return false;  // goes when it is full, or asked for
    offer(counted(buffers_.take(way)));
    return true;
  }
  if (const auto it = lines_.find(way); it != lines_.end() && it->second.sending) return false;
  const std::span<const std::byte> bytes(from.first, from.used());
  const auto sent = try_send_medium<&handle_records>(here_, from.hop, bytes, name_, from.kind);
  if (sent.what != conduit::outcome::done) return false;
  batch gone = counted(buffers_.take(way));
  note({why, gone.kind, gone.hop, gone.items, gone.since, gone.bytes()});
  buffers_.give_back(std::move(gone.memory));
  return true;
}

void engine::note(const departure& what) {
  ++seen_.messages;
  seen_.bytes += what.bytes.size();
  ++count_of(what.why);
  if (observer_ != nullptr) observer_->sent(what);
}

std::uint64_t& engine::count_of(cause why) {
  switch (why) {
    case cause::full: return seen_.full;
    case cause::threshold: return seen_.threshold;
    case cause::timed_out: return seen_.timed_out;
    case cause::idle: return seen_.idle;
    case cause::asked: return seen_.asked;
    case cause::alone: return seen_.uncombined;
    case cause::urgent: return seen_.urgent;
    case cause::fetched: break;
  }
  return seen_.fetched;
}

void engine::flush() {
  // Those open now; handlers that run meanwhile may open others.
  const std::span<const std::uint32_t> open = buffers_.open_ones();
  const std::vector<std::uint32_t> now(open.begin(), open.end());
  for (const std::uint32_t each : now) {
    if (buffers_[each].first != nullptr) send_buffer(each, cause::asked);
  }
}

int engine::progress() {
  int moved = send_due();
  moved += deliver_own();
  return moved;
}

int engine::send_due() {
  // Grows with each push and delivery.
  const std::uint64_t activity = bytes_taken_ + buffers_.waiting_bytes() + seen_.delivered;
  const bool quiet = std::exchange(activity_, activity) == activity;
  // Who waits to send more is not idle.
  const bool idle = quiet && with_.flush_when_idle && waiting_ == 0;
  const bool timed = parameters_.timeout != duration();
  if (buffers_.open_ones().empty()) return 0;
  // Who waits looks once more before it sleeps; in virtual time until the oldest buffer is due.
  const int again = (!quiet && with_.flush_when_idle) || (timed && virtual_time_) ? 1 : 0;
  if (!idle && !timed) return again;
  int sent = 0;
  const duration oldest = timed ? here_.now() - parameters_.timeout : duration();
  for (std::size_t i = buffers_.open_ones().size(); i-- > 0;) {
    const std::uint32_t way = buffers_.open_ones()[i];
    if (!idle && buffers_[way].since > oldest) continue;
    sent += try_send(way, idle ? cause::idle : cause::timed_out) ? 1 : 0;
  }
  // Else the time that it waits for would not come.
  if (sent == 0 && timed && virtual_time_) here_.charge(conduit::cost::poll, 1);
  return std::max(sent, again);
}

void engine::finish() {
  end_.wait();
  if (observer_ != nullptr) observer_->finished();
}

std::uint64_t engine::pushed() const noexcept {
  return taken_ + buffers_.waiting_items() - rerouted_;
}

stream_statistics engine::statistics() const {
  stream_statistics all = seen_;
  all.pushed = pushed();
  all.buffer_memory = buffers_.most_memory();
  return all;
}

std::string engine::describe_pending() const {
  const std::size_t bytes = buffers_.waiting_bytes();
  return bytes == 0 && own_.empty()
             ? std::string()
             : fmt::format(
                   "stream {}: {} bytes wait in buffers, {} full ones for the member itself",
                   name_.number, bytes, own_.size());
}

}  // namespace upwash::streaming
