// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets and atomics that are not plain loads and stores: through the conduit where it can,
// by messages of the memory class to the owner where it cannot. Also fetches peers' keys.
// With a progress thread the memory class is served by it: all entry points then take the lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "upwash/base/fifo.hpp"
#include "upwash/base/handle_table.hpp"
#include "upwash/conduit/endpoint.hpp"
#include "upwash/conduit/write_watch.hpp"
#include "upwash/core/detail/injector.hpp"
#include "upwash/core/detail/memory_line.hpp"
#include "upwash/core/detail/memory_rows.hpp"
#include "upwash/core/detail/operation.hpp"
#include "upwash/core/detail/peer_facts.hpp"
#include "upwash/core/detail/region_table.hpp"
#include "upwash/core/peer_traffic.hpp"

namespace upwash {

class job;

namespace detail {

/// Memory: O(operations in flight) + the regions' tables.
class memory_engine {
 public:
  /// Operations that wait to be started before a caller outside handlers waits too.
  static constexpr std::size_t start_limit = 1024;
  /// Messages with answers that a peer owes at a time: it keeps those that find no credit.
  static constexpr std::size_t most_owed = 64;

  memory_engine(job& here, const peer_facts& peers, region_table& regions, bool threaded);

  /// Begins a transfer; never waits in a handler or a callback, and elsewhere only when many are
  /// queued. Throws `error` (argument) for places that are out of bounds or in unknown regions;
  /// counters are told then, callbacks are not called.
  void start(const transfer& what, const stage_target& local, const stage_target& remote);

  /// A message of the memory class. May run on the progress thread.
  void deliver(const conduit::message& m);

  /// Tells a stage that is reached: a counter at once, a callback in the next progress.
  void tell(const stage_target& target);

  /// Starts what can start now, sends what was deferred, runs callbacks; returns how many. What
  /// a callback throws goes up; the callbacks behind it stay for the next call.
  int progress();
  [[nodiscard]] bool busy() const noexcept {
    return waiting_.load(std::memory_order_relaxed) != 0;  // a hint: the lock orders the rest
  }

  /// For the progress thread: answers that found no credit go when there is some, whatever the rank
  /// does. Whether some are left.
  bool send_kept_answers();

  /// Operations begun and not complete.
  [[nodiscard]] std::size_t in_flight() const noexcept {
    return in_flight_.load(std::memory_order_relaxed);
  }

  /// Messages of answers asked of a peer that have not come, without those to be answered later.
  [[nodiscard]] std::size_t owed_by(int rank) const {
    const auto found = owed_.find(rank);
    return found == owed_.end() ? 0 : found->second.all();
  }

  // -- By peer: peer_records.cpp ---------------------------------------------------------------
  /// Of implicit operations towards the rank, which exists. Stays where it is.
  [[nodiscard]] std::atomic<std::uint32_t>& implicit_towards(int rank) {
    const auto held = lock();
    return records_[rank].implicit_pending;
  }
  [[nodiscard]] const std::atomic<std::uint32_t>* find_implicit_towards(int rank);
  /// A rank that unacknowledged puts went to since the last `confirm`; -1: none.
  [[nodiscard]] int first_unconfirmed();
  [[nodiscard]] peer_traffic traffic_towards(int rank);
  [[nodiscard]] peer_traffic traffic_towards_all();
  [[nodiscard]] std::uint64_t arrived_from(int rank);
  [[nodiscard]] const std::atomic<std::uint64_t>& arrived() const noexcept { return arrived_; }
  /// Throws `error` (argument) for no rank.
  void check_rank(int rank) const;
  /// Blocks until what nobody asked about on the region is acknowledged. Throws `error` (argument)
  /// where a request or counter has operations of this rank on it to wait for.
  void await_idle(const region_state& going);

  /// Spans readable by peers where the conduit itself cannot read private memory.
  std::uint64_t expose(std::span<const std::byte> span);
  void conceal(std::uint64_t id);

  [[nodiscard]] std::unique_lock<std::mutex> lock() {
    return threaded_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }
  void hold() {
    if (threaded_) mutex_.lock();
  }
  void let_go() {
    if (threaded_) mutex_.unlock();
  }

  // -- Handlers of layers: memory_calls.cpp ----------------------------------------------------
  void add_handler(const memory_row& row);
  /// In pieces of the medium size; what finds no credit is kept. With the lock held.
  void give_answer(int rank, std::uint64_t name, std::span<const std::byte> bytes);
  [[nodiscard]] job& here() const noexcept { return here_; }
  [[nodiscard]] conduit::write_watch* watch() const noexcept { return watch_; }

 private:
  /// Puts to a peer that wait for a flush. The pending one may be told while others are added.
  struct flush_batch {
    conduit::completion hook;
    memory_engine* engine = nullptr;
    int rank = -1;
    bool under_way = false;
    bool asked = false;            ///< in to_flush_
    std::vector<operation*> now;   ///< what the flush under way speaks for
    std::vector<operation*> next;  ///< injected since
  };

  operation* make(const transfer& what, const stage_target& local, const stage_target& remote);
  void tell_watch_of(operation& op);
  void tell_watch_of_end(const operation& op) noexcept;
  void check(const transfer& what) const;
  void check_place(const place& at, std::size_t bytes) const;
  void check_atomic(const transfer& what) const;
  /// The part that holds the place; null while its key is on the way. Throws when out of bounds.
  const part* reach(const place& at, std::size_t bytes);
  bool try_start(operation& op);
  bool start_native(operation& op, atomicity atomics, const part& target, const part* word);
  bool put_in_steps(operation& op, const part& target);
  void go_on(operation& op);
  void ask_for_flush(int rank, flush_batch& batch);
  int start_flushes();
  void flushed(flush_batch& batch);
  static void flush_hook(conduit::completion& told) noexcept;
  static void step_hook(conduit::completion& told) noexcept;
  bool start_emulated(operation& op);
  bool emulate_put(operation& op);
  bool send_signal(operation& op);
  bool emulate_get(operation& op);
  bool emulate_atomic(operation& op);
  part* find_part(int rank, std::uint64_t region);
  void write_down_atomic(const transfer& what) const;
  bool settle(operation& op, conduit::injection result);
  void told(stage& which) noexcept;
  void tell_locked(const stage_target& target);
  int run_callbacks();
  static void hook(conduit::completion& told) noexcept;

  void count_begun(operation& op);
  void count_end(operation& op) noexcept;
  bool start_call(operation& op);
  bool start_confirm(operation& op);
  bool is_behind_puts(operation& op);
  void end(operation& op) noexcept;
  static void call_hook(conduit::completion& told) noexcept;
  void add_own_rows();
  void serve(const conduit::message& m);
  void serve_put(const conduit::message& m, memory_code kind);
  void serve_get(const conduit::message& m, memory_code kind);
  void serve_atomic(const conduit::message& m);
  void serve_key(const conduit::message& m);
  void serve_call(const memory_row& row, const conduit::message& m);
  void take_acknowledgement(const conduit::message& m);
  void take_data(const conduit::message& m);
  void take_old_value(const conduit::message& m);
  void take_answer(const conduit::message& m);
  void take_count(const conduit::message& m);
  bool may_owe(int rank, std::size_t pieces);
  void take_served(int rank);
  void settle_owed(const operation& op);
  [[nodiscard]] std::uint64_t name_of(operation& op) {
    if (op.name == 0) op.name = names_.enter(op);
    return op.name;
  }
  /// The operation of that name at `source`. Throws `error` (fault) where there is none.
  [[nodiscard]] operation& named_by(int source, std::uint64_t name, transfer::kind kind) const;
  int enter_keys();
  [[nodiscard]] std::byte* owned(std::uint64_t region, std::uint64_t offset, std::size_t bytes,
                                 int source);
  /// What an operation sends: without credit it waits and tries again.
  bool request(int destination, std::uint32_t number, const memory_line& line,
               std::span<const std::byte> payload = {});
  bool request(int destination, memory_code code, const memory_line& line,
               std::span<const std::byte> payload = {}) {
    return request(destination, static_cast<std::uint32_t>(code), line, payload);
  }
  /// What an owner sends back: without credit its bytes are kept.
  void reply(int destination, memory_code code, const memory_line& line,
             std::span<const std::byte> payload = {});
  [[nodiscard]] conduit::message composed(int destination, std::uint32_t number,
                                          const memory_line& line,
                                          std::span<const std::byte> payload) const noexcept;
  bool inject(const conduit::message& m);
  int send_deferred();
  int start_waiting(std::map<int, std::deque<operation*>>& waiting);
  bool start_or_fail(operation& op);

  job& here_;
  conduit::endpoint& endpoint_;
  conduit::write_watch* const watch_;  ///< null: nobody wants to know who writes
  region_table& regions_;
  const peer_facts& peers_;
  const bool threaded_;
  std::mutex mutex_;
  std::atomic<std::size_t> waiting_{0};  ///< entries in the queues below
  std::atomic<std::size_t> in_flight_{0};
  // By peer: one that is full or slow holds up nobody else.
  std::map<int, std::deque<operation*>> to_go_on_;  ///< puts in steps: begun before all to_start_
  std::map<int, std::deque<operation*>> to_start_;
  std::map<int, std::deque<stored_message>> deferred_;
  std::map<int, flush_batch> flushes_;
  fifo<int> to_flush_;  ///< peers, each once
  std::map<int, owed_answers> owed_;
  fifo<std::pair<void (*)(void*), void*>> callbacks_;
  bool calling_ = false;  ///< a callback runs: they never nest
  std::set<std::pair<std::uint64_t, int>> keys_asked_;
  std::deque<stored_message> keys_;  ///< entered by the rank's own thread, which reads unlocked
  std::map<std::uint64_t, std::span<const std::byte>> exposed_;
  std::uint64_t exposures_ = 0;
  std::map<int, std::uint32_t> next_number_;
  resequencer in_order_;
  object_pool<operation> operations_;
  std::unordered_map<int, peer_record> records_;  ///< nodes: they stay where they are
  peer_traffic to_all_;                           ///< the sums of all records
  std::atomic<std::uint64_t> arrived_{0};         ///< unacknowledged puts, of all
  handle_table<operation> names_;                 ///< of those that an owner answers
  memory_rows rows_;
};

}  // namespace detail
}  // namespace upwash
