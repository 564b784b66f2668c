// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parameters, pushing, progress and the end. What leaves: sending.cpp. What comes: delivery.cpp.
#include "upwash/streaming/detail/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/streaming/detail/identity.hpp"
#include "upwash/streaming/detail/node_buffers.hpp"
#include "upwash/streaming/detail/service.hpp"

namespace upwash::streaming {
namespace {

const team& checked(const team& among) {
  if (among) return among;
  throw error(error_kind::argument,
              "a stream on no team: a split gave this rank none, or it was released; only members "
              "open streams");
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
  if (with.buffer_bytes == 0) wrong("buffers of 0 bytes; more, or `automatic`");
  if (with.shared_buffers && with.ordered) {
    wrong("buffers shared by a node, in a stream whose items keep their order");
  }
  if (with.timeout < duration()) {
    wrong(fmt::format("a timeout of {} us; 0 for none, or more", with.timeout.us()));
  }
  const bool knows_cost = with.latency_cost >= 0 || with.latency_cost == stream_options::measured;
  if (!knows_cost || with.memory == 0) {
    wrong(
        fmt::format("a latency cost of {} and {} bytes of memory; 0 or more, or `measured`, and "
                    "more than 0",
                    with.latency_cost, with.memory));
  }
}

constexpr std::size_t usual_buffer = 16384;   ///< stays in the caches, and costs a message little
constexpr std::size_t surely_combined = 512;  ///< records of one size; whatever the cutoff
constexpr std::size_t longest_record = UINT32_MAX;  ///< its length has 4 bytes

std::size_t buffer_bytes_of(const stream_options& with) {
  return with.buffer_bytes == stream_options::automatic ? usual_buffer : with.buffer_bytes;
}

std::size_t share_of(std::size_t bytes, double share) {
  return static_cast<std::size_t>(share * static_cast<double>(bytes));
}

}  // namespace

engine::engine(receiver& to, const team& among, std::size_t record_bytes, bool has_common,
               const stream_options& with, call_site opened_at)
    : to_(to),
      among_(checked(among)),
      here_(among.here()),
      home_(here_.service<service>()),
      name_{among.id(), home_.next_number(among)},
      record_bytes_(record_bytes),
      with_(with),
      virtual_time_(host(here_).endpoint().describe().virtual_time),
      message_bytes_(medium_limit(among)),
      has_common_(has_common),
      buffers_(record_bytes),
      ways_(among,
            with.dimensions != 0
                ? with.dimensions
                : usual_dimensions(among.size(), std::min(buffer_bytes_of(with), message_bytes_),
                                   with.memory),
            buffers_),
      end_(among, *this),
      trace_(host(here_).trace()),
      own_(with.memory, with.ordered),
      opened_at_(opened_at) {
  check(among, with);
  if (has_common && with.shared_buffers) {
    throw error(
        error_kind::argument,
        fmt::format("rank {}: stream: buffers shared by a node, of items with a common part",
                    here_.rank()));
  }
  const std::size_t asked = buffer_bytes_of(with);
  // A buffer is a message; at least one record fits, whatever was asked for, or goes alone.
  capacity_ = std::min(std::max(asked, record_bytes_ + most_header_bytes), message_bytes_);
  if (asked > message_bytes_ && asked != usual_buffer && among_.rank() == 0) {
    log(log_level::info, "streaming",
        fmt::format("stream {} of team {:#x}: buffers of {} bytes, not {}: no message is larger",
                    name_.number, among_.id(), message_bytes_, asked));
  }
  apply({ways_.dimensions(), share_of(capacity_, with.threshold), share_of(capacity_, with.cutoff),
         with.timeout});
  if (with.shared_buffers) share_with_node();
}

engine::~engine() = default;

void engine::share_with_node() {
  node_ = node_buffers::make(among_, record_bytes_, capacity_);
  for (int member = 0; node_ != nullptr && member < among_.size(); ++member) {
    ways_.go_through(member, node_->receiver_for(member));
  }
}

void engine::set_parameters(const parameters& chosen) {
  const bool other_grid =
      !with_.ordered && node_ == nullptr && chosen.dimensions != parameters_.dimensions;
  apply(chosen);
  if (other_grid) ways_.change_grid(chosen.dimensions);
  parameters_.dimensions = ways_.dimensions();
}

void engine::apply(const parameters& chosen) {
  parameters_ = chosen;
  parameters_.effective_bytes = std::clamp<std::size_t>(chosen.effective_bytes, 1, capacity_);
  parameters_.cutoff_bytes = std::min(chosen.cutoff_bytes, capacity_ - most_header_bytes);
  if (record_bytes_ != 0) {
    const bool combined = record_bytes_ <= std::max(chosen.cutoff_bytes, surely_combined) &&
                          record_bytes_ + most_header_bytes <= capacity_;
    parameters_.cutoff_bytes = combined ? record_bytes_ : 0;
  }
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

void engine::join(std::string_view item) {
  if (here_.options().checked) tell_identity(item);
  home_.add(*this);
}

/// As a handler sends: without waiting for credit.
void engine::tell_identity(std::string_view item) {
  const int member = among_.rank();
  stream_identity own{.name = name_, .member = member, .world_rank = here_.rank()};
  own.set_texts(item, with_.label, opened_at_);
  home_.identities().opened(own);
  if (member == 0) return;
  host(here_).run_as_handler([&] {
    send_medium<&handle_identity>(here_, among_.world_rank((member - 1) / 2),
                                  std::as_bytes(std::span(&own, 1)));
  });
}

void engine::close(const call_site& site) {
  finish(site);
  if (auto going = std::move(node_)) going->free();
  leave();
}

void engine::leave() {
  if (!std::exchange(open_, false)) return;
  home_.remove(*this);
}

// -- Pushing ------------------------------------------------------------------------------------

/// The long way of a record: the buffer has no room yet, or gets full.
void engine::add(std::uint32_t way, int destination, std::span<const std::byte> record) {
  if (record.size() > cutoff_) return send_alone(way, destination, record, cause::alone);
  if (!open_) refuse_closed();
  const bool shared = node_ != nullptr && node_->receiver_for(destination) >= 0;
  if (shared && share(destination, record)) return;
  const std::size_t bytes = header_bytes(buffers_[way].kind, record_bytes_) + record.size();
  // Sending may run handlers, which fill buffers again, and may set what later items have in
  // common.
  const common_part common = common_;
  while (buffers_[way].first != nullptr &&
         (!buffers_.fits(way, bytes) || buffers_.common_of(way) != common)) {
    send_buffer(way, cause::full);
  }
  if (buffers_[way].first == nullptr) {
    home_.wake();
    // Meanwhile the parameters may have changed: it gets room in any case.
    buffers_.open(way, bytes, common, parameters_.timeout != duration() ? here_.now() : duration());
  }
  buffer& into = buffers_[way];
  std::byte* at = into.next;
  if (is_routed(into.kind)) at = put_word(at, static_cast<std::size_t>(destination));
  if (record_bytes_ == 0) at = put_word(at, record.size());
  if (!record.empty()) std::memcpy(at, record.data(), record.size());
  into.next = at + record.size();
  ++into.items;
  const bool others_first = shared || common != common_;  // the node's buffer, or another message
  if (others_first && into.used() < parameters_.effective_bytes) {
    into.stop = into.next;  // the next record comes here, too
  } else if (into.next >= into.stop) {
    send_buffer(way, cause::threshold);
  }
}

/// A record in a message of its own, to its destination at once: not copied before it is sent, and
/// no departure made that nobody is told of.
void engine::send_alone(std::uint32_t way, int destination, std::span<const std::byte> record,
                        cause why) {
  const bool own = destination == among_.rank();
  if (own || with_.ordered || record.size() > message_bytes_) [[unlikely]] {
    return send_alone_otherwise(way, destination, record, why);
  }
  if (!open_) [[unlikely]]
    refuse_closed();
  const buffer& others = buffers_[way];
  const int hop = others.kind == content::arrived ? others.hop : among_.world_rank(destination);
  account_.left(1, record.size());
  host(here_).charge(conduit::cost::push, 1);
  if (has_common_ || observer_ != nullptr || trace_ != nullptr) {
    return send_now({why, content::alone, hop, 1, {}, common_, record});
  }
  ++waiting_;
  send_medium<&handle_records>(here_, hop, record, name_, content::alone);
  --waiting_;
  account_.sent(why, record.size());
}

/// The same for this member itself, in pieces, by a ticket, or on its way and behind what waits
/// there, where order counts.
void engine::send_alone_otherwise(std::uint32_t way, int destination,
                                  std::span<const std::byte> record, cause why) {
  if (!open_) refuse_closed();
  if (record.size() > longest_record) {
    throw error(
        error_kind::argument,
        fmt::format("rank {}: stream {}: an item of {} bytes for member {}; at most {}",
                    here_.rank(), name_.number, record.size(), destination, longest_record));
  }
  if (with_.ordered || destination == among_.rank()) {
    batch one = alone(way, destination, record);
    if (with_.ordered && buffers_[way].first != nullptr) send_buffer(way, cause::full);
    return send(std::move(one), why);
  }
  if (wants_ticket(record.size())) return offer(destination, record);
  account_.left(1, record.size());
  host(here_).charge(conduit::cost::push, 1);
  send_now({why, content::alone, among_.world_rank(destination), 1, {}, common_, record});
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
  one.memory.common = common_;
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
  send_alone(way, destination, record, cause::urgent);
}

// -- Progress and the end ---------------------------------------------------------------------

void engine::flush() {
  // Those open now; handlers that run meanwhile may open others.
  const std::span<const std::uint32_t> open = buffers_.open_ones();
  const std::vector<std::uint32_t> now(open.begin(), open.end());
  for (const std::uint32_t each : now) {
    if (buffers_[each].first != nullptr) send_buffer(each, cause::asked);
  }
  if (node_ != nullptr) {
    node_->close_used(cause::asked);
    send_shared();
  }
}

int engine::progress() {
  int moved = send_due();
  moved += deliver_own();
  if (node_ != nullptr) moved += send_shared() + (node_->sending() ? 1 : 0);
  return moved;
}

bool engine::has_work() const noexcept {
  return !buffers_.open_ones().empty() || !own_.empty() ||
         (node_ != nullptr && (node_->used() || node_->sending()));
}

int engine::send_due() {
  const bool quiet = account_.is_quiet(buffers_.waiting_bytes());
  // Who waits to send more is not idle.
  const bool idle = quiet && with_.flush_when_idle && waiting_ == 0;
  const bool timed = parameters_.timeout != duration();
  const bool sharing = node_ != nullptr && node_->used();
  if (buffers_.open_ones().empty() && !sharing) return 0;
  // Who waits looks once more before it sleeps; in virtual time until the oldest buffer is due.
  const int again = (!quiet && with_.flush_when_idle) || (timed && virtual_time_) ? 1 : 0;
  if (!idle && !timed) return again;
  if (sharing) node_->close_used(idle ? cause::idle : cause::timed_out);
  int sent = 0;
  const duration oldest = timed ? here_.now() - parameters_.timeout : duration();
  for (std::size_t i = buffers_.open_ones().size(); i-- > 0;) {
    const std::uint32_t way = buffers_.open_ones()[i];
    if (!idle && buffers_[way].since > oldest) continue;
    sent += try_send(way, idle ? cause::idle : cause::timed_out) ? 1 : 0;
  }
  // Else the time that it waits for would not come.
  if (sent == 0 && timed && virtual_time_) host(here_).charge(conduit::cost::poll, 1);
  return std::max(sent, again);
}

void engine::finish(const call_site& site) { end_.wait(site); }

tally engine::count() const {
  return {account_.pushed(buffers_.waiting_items()), account_.delivered(),
          observer_ != nullptr ? observer_->idle_ns() : 0};
}

void engine::ended(std::uint64_t idle_ns) {
  if (observer_ != nullptr) observer_->finished(idle_ns);
}

stream_statistics engine::statistics() const {
  stream_statistics all = account_.seen();
  all.pushed = account_.pushed(buffers_.waiting_items());
  all.buffer_memory = buffers_.most_memory();
  return all;
}

std::string engine::describe_pending() const {
  const std::size_t bytes = buffers_.waiting_bytes();
  return bytes == 0 && own_.empty()
             ? std::string()
             : fmt::format("stream {}: {} bytes wait in buffers, {} batches to be handed over",
                           name_.number, bytes, own_.size());
}

}  // namespace upwash::streaming
