// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets and atomics that are not plain loads and stores: through the conduit if possible, else
// by messages of the memory class to the owner. Also fetches peers' keys. A progress thread serves
// the memory class: all entry points then take the lock.
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

/// The engine of one rank. Memory: O(operations in flight) + the regions' tables.
class memory_engine {
 public:
  /// The number of unstarted operations above which a caller outside handlers waits too.
  static constexpr std::size_t start_limit = 1024;
  /// The number of messages with answers that a peer may owe at a time. The peer keeps answers
  /// without credit.
  static constexpr std::size_t most_owed = 64;

  memory_engine(job& here, const peer_facts& peers, region_table& regions, bool threaded);

  /// Begins a transfer. Never waits in a handler or a callback; elsewhere waits only when many are
  /// queued. Throws `error` (argument) for locations out of bounds or in unknown regions. Counters
  /// are then completed; callbacks are not called.
  void start(const transfer& what, const stage_target& local, const stage_target& remote);

  /// Handles a message of the memory class. May run on the progress thread.
  void deliver(const conduit::message& m);

  /// Completes a stage that is reached: a counter at once, a callback in the next progress.
  void tell(const stage_target& target);

  /// Starts operations that can start now, sends deferred messages and runs callbacks. Returns
  /// their number. An exception of a callback is passed on; later callbacks stay for the next call.
  int progress();
  [[nodiscard]] bool busy() const noexcept {
    return waiting_.load(std::memory_order_relaxed) != 0;  // a hint: the lock orders the rest
  }

  /// Sends kept answers as soon as there is credit, independently of the rank's activity. For the
  /// progress thread. Returns whether some are left.
  bool send_kept_answers();

  /// Returns the number of operations begun and not complete.
  [[nodiscard]] std::size_t in_flight() const noexcept {
    return in_flight_.load(std::memory_order_relaxed);
  }

  /// Returns the number of outstanding answer messages of a peer, without deferred answers.
  [[nodiscard]] std::size_t owed_by(int rank) const {
    const auto found = owed_.find(rank);
    return found == owed_.end() ? 0 : found->second.all();
  }

  // -- By peer: peer_records.cpp ---------------------------------------------------------------
  /// Returns the counter of implicit operations towards an existing rank. Its address is stable.
  [[nodiscard]] std::atomic<std::uint32_t>& implicit_towards(int rank) {
    const auto held = lock();
    return records_[rank].implicit_pending;
  }
  [[nodiscard]] const std::atomic<std::uint32_t>* find_implicit_towards(int rank);
  /// Returns a rank that received unacknowledged puts since the last `confirm`; -1: none.
  [[nodiscard]] int first_unconfirmed();
  [[nodiscard]] peer_traffic traffic_towards(int rank);
  [[nodiscard]] peer_traffic traffic_towards_all();
  [[nodiscard]] std::uint64_t arrived_from(int rank);
  [[nodiscard]] const std::atomic<std::uint64_t>& arrived() const noexcept { return arrived_; }
  /// Throws `error` (argument) if `rank` is not a rank.
  void check_rank(int rank) const;
  /// Blocks until the operations on the region that no program waits for are acknowledged. Throws
  /// `error` (argument) if a request or counter waits for an operation of this rank on the region.
  void await_idle(const region_state& going);

  /// Makes a span readable by peers if the conduit itself cannot read private memory.
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
  /// Sends an answer in pieces of the medium size; pieces without credit are kept. Called with the
  /// lock held.
  void give_answer(int rank, std::uint64_t name, std::span<const std::byte> bytes);
  [[nodiscard]] job& here() const noexcept { return here_; }
  [[nodiscard]] conduit::write_watch* watch() const noexcept { return watch_; }

 private:
  /// Puts to a peer that wait for a flush. The pending flush may complete while other puts are
  /// added.
  struct flush_batch {
    conduit::completion hook;
    memory_engine* engine = nullptr;
    int rank = -1;
    bool under_way = false;
    bool asked = false;            ///< in to_flush_
    std::vector<operation*> now;   ///< puts covered by the flush under way
    std::vector<operation*> next;  ///< puts injected since
  };

  operation* make(const transfer& what, const stage_target& local, const stage_target& remote);
  void tell_watch_of(operation& op);
  void tell_watch_of_end(const operation& op) noexcept;
  void check(const transfer& what) const;
  void check_place(const place& at, std::size_t bytes) const;
  void check_atomic(const transfer& what) const;
  /// Returns the part that holds the location; null while its key is on the way. Throws if out of
  /// bounds.
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
  /// Returns the operation of that name at `source`. Throws `error` (fault) if there is none.
  [[nodiscard]] operation& named_by(int source, std::uint64_t name, transfer::kind kind) const;
  int enter_keys();
  [[nodiscard]] std::byte* owned(std::uint64_t region, std::uint64_t offset, std::size_t bytes,
                                 int source);
  /// Sends a request of an operation. Without credit the operation waits and tries again.
  bool request(int destination, std::uint32_t number, const memory_line& line,
               std::span<const std::byte> payload = {});
  bool request(int destination, memory_code code, const memory_line& line,
               std::span<const std::byte> payload = {}) {
    return request(destination, static_cast<std::uint32_t>(code), line, payload);
  }
  /// Sends an owner's answer. Without credit its bytes are kept.
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
  conduit::write_watch* const watch_;  ///< null: writes are not observed
  region_table& regions_;
  const peer_facts& peers_;
  const bool threaded_;
  std::mutex mutex_;
  std::atomic<std::size_t> waiting_{0};  ///< entries in the queues below
  std::atomic<std::size_t> in_flight_{0};
  // By peer: a full or slow peer does not delay the others.
  std::map<int, std::deque<operation*>> to_go_on_;  ///< puts in steps: begun before all to_start_
  std::map<int, std::deque<operation*>> to_start_;
  std::map<int, std::deque<stored_message>> deferred_;
  std::map<int, flush_batch> flushes_;
  fifo<int> to_flush_;  ///< peers, each at most once
  std::map<int, owed_answers> owed_;
  fifo<std::pair<void (*)(void*), void*>> callbacks_;
  bool calling_ = false;  ///< a callback runs: callbacks never nest
  std::set<std::pair<std::uint64_t, int>> keys_asked_;
  std::deque<stored_message> keys_;  ///< entered by the rank's own thread, which reads unlocked
  std::map<std::uint64_t, std::span<const std::byte>> exposed_;
  std::uint64_t exposures_ = 0;
  std::map<int, std::uint32_t> next_number_;
  resequencer in_order_;
  object_pool<operation> operations_;
  std::unordered_map<int, peer_record> records_;  ///< node-based: addresses are stable
  peer_traffic to_all_;                           ///< the sums of all records
  std::atomic<std::uint64_t> arrived_{0};         ///< unacknowledged puts, of all peers
  handle_table<operation> names_;                 ///< operations that an owner answers
  memory_rows rows_;
};

}  // namespace detail
}  // namespace upwash
