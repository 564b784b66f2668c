// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job as the program at one of its ranks sees it: the root of all per-rank state. Obtained from
// `upwash::run` or `attach`; driven by one thread at a time. What layers see of it: host.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "upwash/base/call_site.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/base/ensure.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/base/message.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/service.hpp"
#include "upwash/observe/counters.hpp"

namespace upwash::observe {
class hang_board;
}

namespace upwash {

class host;
class team;

namespace detail {
class footing;
class job_state;
class region_table;
struct direct_access;
struct job_access;
}  // namespace detail

/// What core needs to know beyond its conduit; runtime fills it from the knobs.
struct job_options {
  std::size_t deferred_limit = 4096;  ///< messages; above it peers' new requests are throttled
  duration hang_report = {};          ///< a wait longer than this is reported once; 0: never
  observe::hang_board* hang_board = nullptr;  ///< for one report of the job; null: by messages
  std::size_t side_stack_bytes = std::size_t{256} << 10U;  ///< of a fiber aside (side_fiber.hpp)
  bool checked = checks >= check_level::collective;        ///< costly checks of the caller
  /// A thread serves memory operations and what is lent to it (real conduits, one rank a process).
  bool progress_thread = false;
  std::vector<int> progress_processors{};  ///< where that thread runs; empty: where its rank may
  /// An address in what handler ids take for the program; null: in the executable.
  const void* program = nullptr;
};

/// A number over the builds of the program and of upwash: equal in ranks whose messages understand
/// each other. Scans the loaded modules.
/// `program`: as in job_options.
[[nodiscard]] std::uint64_t build_fingerprint(const void* program = nullptr);

class job final {
 public:
  ~job();
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  [[nodiscard]] int rank() const noexcept { return rank_; }  ///< in the world
  [[nodiscard]] int size() const noexcept { return size_; }  ///< of the world
  /// All ranks. O(1).
  [[nodiscard]] team world() const;

  /// Takes messages and moves operations on, a bounded amount. Nonblocking; not from a handler. On
  /// a fiber aside, as methods of objects that wait are: lets the rank's main flow do so.
  void progress();

  /// Blocks until every implicit operation of this rank is complete at its target, and what
  /// detached requests stood for is complete.
  void quiet(call_site site = call_site::current());
  /// Blocks until every implicit operation towards one rank of the world is complete there. Throws
  /// `error` (argument) for no rank.
  void quiet(int rank, call_site site = call_site::current());

  /// Time since the job started: virtual on a simulated conduit, else the steady clock.
  [[nodiscard]] duration now() const noexcept;

  /// The program computes for `time`: advances virtual time; a real conduit does nothing, or
  /// burns the time where the knob compute says so.
  void compute(duration time);

  /// What this rank has done so far.
  [[nodiscard]] const upwash::counters& counters() const noexcept { return counters_; }

  /// Whether a handler of this rank runs.
  [[nodiscard]] bool in_handler() const noexcept { return in_handler_; }
  /// As the job was started.
  [[nodiscard]] const job_options& options() const noexcept { return options_; }

  /// The layer's state T on this job (service.hpp), made on first use. O(services) a call: keep
  /// the reference.
  template <class T>
  [[nodiscard]] T& service() {
    if (&detail::service_tag<T> == last_tag_) return static_cast<T&>(*last_found_);
    return other_service<T>();
  }

 private:
  friend class host;
  friend class detail::footing;
  friend struct detail::direct_access;
  friend struct detail::job_access;

  job(std::unique_ptr<detail::footing> below, int rank, const job_options& options);

  template <class T>
  [[nodiscard, gnu::noinline]] T& other_service() {
    const void* tag = &detail::service_tag<T>;
    if (service_base* found = find_service(tag)) return static_cast<T&>(*found);
    auto made = std::make_unique<T>(*this);
    T& reference = *made;
    keep_service(tag, std::move(made));
    return reference;
  }

  void deliver(const active_message& arrived);
  void deliver_rest(const active_message& arrived);
  void run_handler(const active_message& m);
  void run_function(const void* function, const active_message& m);
  void pause_polling();
  int progress_step();
  int services_step();
  void wake_services() noexcept;
  void find_next_alarm() noexcept;
  void look_for_losses() noexcept;
  [[nodiscard]] service_base* find_service(const void* tag) noexcept;
  void keep_service(const void* tag, std::unique_ptr<service_base> made);

  // Order: what the path of a small message touches comes first.
  const std::unique_ptr<detail::footing> below_;
  int rank_;
  int size_;
  bool in_handler_ = false;
  bool virtual_time_;
  bool ordered_;
  lane handling_ = lane::request;
  std::uint8_t memory_calls_ = 0;   ///< blocking ones, since the last turn that they gave
  const void* last_tag_ = nullptr;  ///< of the service that was looked up last
  service_base* last_found_ = nullptr;
  upwash::counters counters_;
  detail::region_table* regions_ = nullptr;  ///< of state_
  std::unique_ptr<detail::job_state> state_;
  const job_options options_;
};

}  // namespace upwash
