// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A stream of records of bytes: what is pushed, what is sent and why, what is handed over. The
// typed stream is on top (stream.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/team.hpp"
#include "upwash/streaming/detail/account.hpp"
#include "upwash/streaming/detail/buffers.hpp"
#include "upwash/streaming/detail/departure.hpp"
#include "upwash/streaming/detail/own_batches.hpp"
#include "upwash/streaming/detail/records.hpp"
#include "upwash/streaming/detail/waves.hpp"
#include "upwash/streaming/detail/ways.hpp"
#include "upwash/streaming/options.hpp"

namespace upwash::observe {
class trace_writer;
}

namespace upwash::streaming {

class node_buffers;
class service;

/// Who is handed over what arrives.
class receiver {
 public:
  /// Takes records that have arrived, or one alone. Returns how many. Throws by
  /// `engine::handler_threw`.
  virtual std::uint64_t deliver(content kind, const common_part& common,
                                std::span<const std::byte> records) = 0;

 protected:
  ~receiver() = default;
};

class engine final : public counted_work {
 public:
  /// Never waits, but for buffers shared by a node. `record_bytes` 0: sizes differ.
  /// `to` outlives it. `opened_at`: by the program, for reports: a push has no time for its own
  /// place.
  engine(receiver& to, const team& among, std::size_t record_bytes, bool has_common,
         const stream_options& with, call_site opened_at);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// Copies the record. Outside handlers it may wait for credit, and run handlers meanwhile.
  void push(int destination, std::span<const std::byte> record) {
    if (record_bytes_ != 0) return place(way_to(destination), destination, record);
    place_with_length(way_to(destination), destination, record);
  }
  /// The same for records of one size, known here. The item's address goes nowhere, so that it may
  /// stay in registers: bytes just written in parts cannot be loaded as a whole at once.
  template <class Item>
  void push_fixed(int destination, const Item& item) {
    const std::uint32_t way = way_to(destination);
    buffer& into = buffers_[way];
    if (into.left() <= static_cast<std::ptrdiff_t>(sizeof item + word_bytes)) [[unlikely]] {
      return add_copy(way, destination, item);
    }
    std::byte* at = into.next;
    if (is_routed(into.kind)) at = put_word(at, static_cast<std::size_t>(destination));
    std::memcpy(at, &item, sizeof item);
    into.next = at + sizeof item;
  }
  /// The same for records of so many bytes that `write(std::byte*)` puts where they go: parts of
  /// them are copied once.
  template <std::size_t Bytes, class Write>
  void push_written(int destination, const Write& write) {
    const std::uint32_t way = way_to(destination);
    buffer& into = buffers_[way];
    if (into.left() <= static_cast<std::ptrdiff_t>(Bytes + word_bytes)) [[unlikely]] {
      std::array<std::byte, Bytes> copy;
      write(copy.data());
      return add(way, destination, copy);
    }
    std::byte* at = into.next;
    if (is_routed(into.kind)) at = put_word(at, static_cast<std::size_t>(destination));
    write(at);
    into.next = at + Bytes;
  }
  /// The same for records of different sizes.
  void push_sized(int destination, std::span<const std::byte> record) {
    place_with_length(way_to(destination), destination, record);
  }
  /// Sends it at once and alone, before what waits in buffers. Throws `error` (argument) where
  /// order counts.
  void push_urgent(int destination, std::span<const std::byte> record);

  /// Sends what waits in buffers. Outside handlers it may wait for credit.
  void flush() override;
  /// Everything pushed anywhere, in handlers too, has been handled everywhere. Collective.
  void finish(const call_site& site);
  void ended(std::uint64_t idle_ns) override;
  [[nodiscard]] tally count() const override;

  // -- For whoever sets the parameters ----------------------------------------------------------
  void set_parameters(const parameters& chosen);
  [[nodiscard]] const parameters& current() const noexcept { return parameters_; }
  /// One destination without stops from now on, or as the others. Not where order counts.
  void go_directly(int destination, bool directly) {
    if (!with_.ordered && node_ == nullptr) ways_.go_directly(destination, directly);
  }
  /// From now on it is told; null: nobody. It outlives the engine, or is taken away.
  void watch(observer* who) noexcept { observer_ = who; }

  // -- From the service -------------------------------------------------------------------------
  /// Looks at timeouts and idleness, and at what this member pushed for itself. How many buffers
  /// were sent or handed over.
  int progress();
  /// Whether progress may have something to do.
  [[nodiscard]] bool has_work() const noexcept;
  void received(content kind, const common_part& common, std::span<const std::byte> payload);

  [[nodiscard]] stream_statistics statistics() const;
  [[nodiscard]] const team& among() const noexcept { return among_; }
  [[nodiscard]] stream_name name() const noexcept { return name_; }
  [[nodiscard]] std::size_t record_bytes() const noexcept { return record_bytes_; }
  [[nodiscard]] const stream_options& options() const noexcept { return with_; }
  [[nodiscard]] std::string describe_pending() const;

  // -- From the stream on top -------------------------------------------------------------------
  /// From now on items have this in common. O(buffers in use).
  void set_common(const common_part& common);
  [[nodiscard]] const common_part& common_now() const noexcept { return common_; }
  /// Messages find it from now on; what came before is handed over by the next progress. `item`:
  /// the name of the items' type, which members compare in checked runs.
  void join(std::string_view item);
  /// Finishes, and gives up what members share. Collective.
  void close(const call_site& site);
  /// No more items, no more messages.
  void leave();
  [[nodiscard]] bool open() const noexcept { return open_; }
  [[nodiscard]] const call_site& opened_at() const noexcept { return opened_at_; }
  /// Names stream, rank and item: the one after the first `before` of those handed over last.
  [[noreturn]] void handler_threw(std::uint64_t before, const char* what) const;

 private:
  [[nodiscard]] std::uint32_t way_to(int destination) const {
    if (!ways_.knows(destination)) [[unlikely]]
      refuse(destination);
    return ways_.to(destination);
  }
  void tell_identity(std::string_view item);
  [[noreturn]] void refuse(int destination) const;
  [[noreturn]] void refuse_closed() const;
  void share_with_node();
  void apply(const parameters& chosen);

  template <class Item>
  void add_copy(std::uint32_t way, int destination, const Item& item) {
    if constexpr (sizeof item <= 64) {
      std::array<std::byte, sizeof item> copy;
      std::memcpy(copy.data(), &item, sizeof item);
      add(way, destination, copy);
    } else {
      add(way, destination, std::as_bytes(std::span(&item, 1)));
    }
  }
  /// The short way of records of one size, where the buffer has room and does not get full.
  void place(std::uint32_t way, int destination, std::span<const std::byte> record) {
    buffer& into = buffers_[way];
    if (into.left() <= static_cast<std::ptrdiff_t>(record.size() + word_bytes)) [[unlikely]] {
      return add(way, destination, record);
    }
    std::byte* at = into.next;
    if (is_routed(into.kind)) at = put_word(at, static_cast<std::size_t>(destination));
    std::memcpy(at, record.data(), record.size());
    into.next = at + record.size();
  }
  /// The same of records of different sizes.
  void place_with_length(std::uint32_t way, int destination, std::span<const std::byte> record) {
    buffer& into = buffers_[way];
    if (record.size() > cutoff_) return send_alone(way, destination, record, cause::alone);
    if (into.left() <= static_cast<std::ptrdiff_t>(record.size() + most_header_bytes))
        [[unlikely]] {
      return add(way, destination, record);
    }
    std::byte* at = into.next;
    if (is_routed(into.kind)) at = put_word(at, static_cast<std::size_t>(destination));
    at = put_word(at, record.size());
    if (!record.empty()) std::memcpy(at, record.data(), record.size());
    into.next = at + record.size();
    ++into.items;
  }
  void add(std::uint32_t way, int destination, std::span<const std::byte> record);
  void send_buffer(std::uint32_t way, cause why);
  void send(batch&& what, cause why);
  [[nodiscard]] bool try_send(std::uint32_t way, cause why);
  [[nodiscard]] bool wants_ticket(std::size_t bytes) const;
  void offer(int destination, std::span<const std::byte> record);
  void wait_and_send(std::uint32_t way, cause why);
  void send_in_order(const departure& what);
  void send_now(const departure& what);
  void look_at_arrivals(std::size_t sent);
  int send_due();
  void send_alone(std::uint32_t way, int destination, std::span<const std::byte> record, cause why);
  void send_alone_otherwise(std::uint32_t way, int destination, std::span<const std::byte> record,
                            cause why);
  [[nodiscard]] batch alone(std::uint32_t way, int destination, std::span<const std::byte> record);
  /// It has left its buffer, or never was in one.
  batch counted(batch&& what);
  void note(const departure& what);
  void write_down(const departure& what);

  [[nodiscard]] bool share(int destination, std::span<const std::byte> record);
  int send_shared();

  void hand_over(content kind, const common_part& common, std::span<const std::byte> records);
  std::uint64_t hand_over_piece(content kind, const common_part& common,
                                std::span<const std::byte> records);
  [[nodiscard]] std::size_t bytes_of_piece(std::span<const std::byte> records) const;
  [[nodiscard]] bool is_ahead() const;
  void keep_for_later(content kind, const common_part& common, std::span<const std::byte> records);
  void route(content kind, std::span<const std::byte> payload);
  int hand_over_own();
  int deliver_own();
  void deliver_own_and_wait();
  void wait_for_deferred();
  [[nodiscard]] wait_reason sending_to(int hop) const;

  static constexpr std::size_t whole_messages = std::size_t{1} << 20U;

  receiver& to_;
  team among_;
  job& here_;
  service& home_;
  const stream_name name_;
  const std::size_t record_bytes_;
  const stream_options with_;
  const bool virtual_time_;
  const std::size_t message_bytes_;  ///< largest that travels in one piece
  std::size_t capacity_ = 0;         ///< of the largest buffer
  std::size_t cutoff_ = 0;
  common_part common_{};
  const bool has_common_;  ///< else messages carry none
  buffers buffers_;
  ways ways_;
  waves end_;
  parameters parameters_;
  observer* observer_ = nullptr;
  observe::trace_writer* const trace_;
  std::unique_ptr<node_buffers> node_;  ///< null: buffers are this member's own
  own_batches own_;                     ///< and what arrived while handlers had sent too much
  bool delivering_own_ = false;
  std::size_t piece_ = whole_messages;  ///< records between looks whether handlers are ahead
  int waiting_ = 0;                     ///< sends that may be waiting for credit
  const call_site opened_at_;
  bool open_ = true;
  account account_;
  std::size_t unlooked_ = 0;  ///< bytes sent since arrivals were looked at
};

}  // namespace upwash::streaming
