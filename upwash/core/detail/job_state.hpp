// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a job outside the path of a small message, and the one access for core's own
// functions to a job's internals.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "upwash/base/process.hpp"
#include "upwash/core/detail/address_book.hpp"
#include "upwash/core/detail/hang_inquiry.hpp"
#include "upwash/core/detail/hang_watch.hpp"
#include "upwash/core/detail/injector.hpp"
#include "upwash/core/detail/memory_engine.hpp"
#include "upwash/core/detail/modules.hpp"
#include "upwash/core/detail/peer_facts.hpp"
#include "upwash/core/detail/region_table.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/lent_tasks.hpp"
#include "upwash/core/service.hpp"

namespace upwash {
class side_fiber;
}

namespace upwash::detail {

class team_table;

/// The tickets of detached requests. Memory: at most 16 more than twice the number of incomplete
/// ones.
class detached_tickets {
 public:
  explicit detached_tickets(object_pool<ticket>& pool) : pool_(pool) {}
  void add(ticket* one) noexcept;
  void sweep() noexcept;
  [[nodiscard]] bool none() const noexcept { return first_ == nullptr; }

 private:
  static constexpr std::size_t least = 16;
  object_pool<ticket>& pool_;
  ticket* first_ = nullptr;
  std::size_t count_ = 0;
  std::size_t limit_ = least;
};

class job_state {
 public:
  job_state(job& here, footing& below, const job_options& options);
  ~job_state();

  const peer_facts peers;
  module_table modules;
  injector messages;
  resequencer in_order;
  assembler pieces;
  region_table regions;
  address_book addresses;
  memory_engine memory;
  std::vector<std::vector<std::byte>> packing;  ///< free packing buffers (active_message.hpp)
  object_pool<ticket> tickets;
  detached_tickets detached{tickets};
  std::atomic<std::uint32_t> implicit_pending{0};
  // Of control collectives: `finish` counts all others by one.
  std::uint64_t control_sent = 0;
  std::uint64_t control_handled = 0;
  std::atomic<bool> failed{false};  ///< `fault` is set
  std::mutex fault_lock;            ///< a progress thread may find a fault, too
  std::exception_ptr fault;         ///< of a handler or an operation; thrown by each progress
  std::unique_ptr<team_table> teams;
  std::vector<std::pair<const void*, std::unique_ptr<service_base>>> services;
  std::vector<service_base*> on_teams;     ///< all services, by their places
  std::vector<service_base*> progressing;  ///< services that want calls
  int busy_services = 0;                   ///< progressing services with work; one for alarms
  duration next_alarm = duration::max();   ///< earliest alarm of a service
  bool in_services = false;                ///< a service is being called
  int word_watchers = 0;                   ///< operations that look at words of peers
  side_fiber* aside = nullptr;             ///< running side fiber; null: the main flow
  int words_aside = 0;                     ///< waits of side fibers that no message ends

  bool polled_for = false;             ///< true while the rank idles
  std::vector<waiter_layer*> waiters;  ///< above the idle behaviour, the outermost last

  shown_wait waiting;
  hang_watch hang;
  std::unique_ptr<hang_inquiry> inquiry;  ///< the board of `hang`, if none was given
  /// In `finish`: control collectives of the world that the program had called before.
  std::optional<std::uint64_t> called_before_end;
  int inquired = 0;               ///< messages of the inquiry since progress last looked
  unsigned steps = 0;             ///< of progress
  unsigned moves_for_credit = 0;  ///< in waits for room at a peer
  unsigned idles = 0;             ///< in this operation
  unsigned empty_polls = 0;       ///< calls of job::progress in a row
  bool keeps_processor = false;   ///< the next poll keeps the processor
  int kept_polls = 0;             ///< polls that kept it since the last pause
  duration last_pause;            ///< end of the last pause
  process::live_job* live = nullptr;
  std::unique_ptr<lent_tasks> lent;  ///< to the progress thread, if there is one
  std::jthread progress_thread;
};

struct job_access {
  static job_state& state(job& here) noexcept { return *here.state_; }
  static const job_state& state(const job& here) noexcept { return *here.state_; }
  static lane handling(const job& here) noexcept { return here.handling_; }
  static bool failed(const job& here) noexcept {
    // Acquire: pairs with set_fault. A thread that sees the flag may read the fault, which stays.
    return here.state_->failed.load(std::memory_order_acquire);
  }
  static void set_fault(job& here, std::exception_ptr fault) noexcept {
    job_state& state = *here.state_;
    const std::lock_guard held(state.fault_lock);
    if (failed(here)) return;
    state.fault = std::move(fault);
    state.failed.store(true, std::memory_order_release);
  }
};

}  // namespace upwash::detail
