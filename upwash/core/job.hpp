// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job as the program at one of its ranks sees it: the root of all per-rank state. Returned by
// `upwash::run` or `attach`; driven by one thread at a time. Layers use the view in host.hpp.
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

/// Core's options in addition to its conduit. The runtime fills them from the knobs.
struct job_options {
  std::size_t deferred_limit = 4096;  ///< messages; above it, peers' new requests are throttled
  duration hang_report = {};          ///< report a longer wait once; 0: never
  observe::hang_board* hang_board = nullptr;  ///< for one report of the job; null: by messages
  std::size_t side_stack_bytes = std::size_t{256} << 10U;  ///< stack of a side fiber
  bool checked = checks >= check_level::collective;        ///< costly checks of the caller
  /// A thread serves memory operations and lent tasks (real conduits, one rank a process).
  bool progress_thread = false;
  std::vector<int> progress_processors{};  ///< processors of the progress thread; empty: the rank's
  /// An address in the module that handler ids take for the program. Null: the executable.
  const void* program = nullptr;
};

/// Returns a number over the builds of the program and of upwash. The numbers of two ranks are
/// equal if the ranks understand each other's messages. Scans the loaded modules. `program`: as in
/// job_options.
[[nodiscard]] std::uint64_t build_fingerprint(const void* program = nullptr);

class job final {
 public:
  ~job();
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  [[nodiscard]] int rank() const noexcept { return rank_; }  ///< in the world
  [[nodiscard]] int size() const noexcept { return size_; }  ///< of the world
  /// Returns the team of all ranks. O(1).
  [[nodiscard]] team world() const;

  /// Takes messages and advances operations by a bounded amount. Nonblocking. Not from a handler.
  /// On a side fiber (a method of an object that waits runs on one) it lets the rank's main flow
  /// make progress.
  void progress();

  /// Blocks until every implicit operation of this rank is complete at its target and every
  /// detached request is complete.
  void quiet(call_site site = call_site::current());
  /// Blocks until every implicit operation towards world rank `rank` is complete there. Throws
  /// `error` (argument) if `rank` is not a rank.
  void quiet(int rank, call_site site = call_site::current());

  /// Returns the time since the job started: virtual on a simulated conduit, else from the steady
  /// clock.
  [[nodiscard]] duration now() const noexcept;

  /// Declares that the program computes for `time`. Advances virtual time on a simulated conduit. A
  /// real conduit does nothing, or spins for that time if the knob compute demands so.
  void compute(duration time);

  /// Returns the counts of this rank's operations so far.
  [[nodiscard]] const upwash::counters& counters() const noexcept { return counters_; }

  /// Returns whether a handler of this rank runs.
  [[nodiscard]] bool in_handler() const noexcept { return in_handler_; }
  /// Returns the options with which the job was started.
  [[nodiscard]] const job_options& options() const noexcept { return options_; }

  /// Returns the layer's state T on this job (service.hpp), which the first call makes. O(services)
  /// a call: keep the reference.
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

  // Order: the members on the path of a small message come first.
  const std::unique_ptr<detail::footing> below_;
  int rank_;
  int size_;
  bool in_handler_ = false;
  bool virtual_time_;
  bool ordered_;
  lane handling_ = lane::request;
  std::uint8_t memory_calls_ = 0;   ///< blocking calls since they last gave a turn
  const void* last_tag_ = nullptr;  ///< service of the last lookup
  service_base* last_found_ = nullptr;
  upwash::counters counters_;
  detail::region_table* regions_ = nullptr;  ///< owned by state_
  std::unique_ptr<detail::job_state> state_;
  const job_options options_;
};

}  // namespace upwash
