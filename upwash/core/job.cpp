// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/job.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <bit>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/base/process.hpp"
#include "upwash/base/relax.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/detail/footing.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/team_table.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/idle_clock.hpp"
#include "upwash/core/peer_traffic.hpp"
#include "upwash/core/side_fiber.hpp"
#include "upwash/core/team.hpp"
#include "upwash/core/wait_scope.hpp"

namespace upwash {
namespace detail {

job_state::job_state(job& here, footing& below, const job_options& options)
    : peers(below.endpoint, here.rank()),
      modules(options.program),
      messages(here, peers),
      regions(below, here.rank()),
      memory(here, peers, regions, options.progress_thread),
      teams(std::make_unique<team_table>(here)) {}

job_state::~job_state() = default;

}  // namespace detail

namespace {

constexpr unsigned most_empty_polls = 16;  ///< in a row, before the next one pauses
constexpr unsigned steps_a_look = 256;     ///< for ranks that the conduit has lost
constexpr int computing_us = 20;           ///< between polls: these are no loop that waits
constexpr conduit::wait_reason polling{.operation = "a loop over progress"};

/// The calling thread; where it is, if there are none.
void run_on(const std::vector<int>& processors) {
  if (processors.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int each : processors) CPU_SET(static_cast<std::size_t>(each), &set);
  if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0) return;
  log(log_level::warning, "core",
      fmt::format("the progress thread may not run on the processors that progress_cores names, {} "
                  "of them from {} on: it stays where its rank is",
                  processors.size(), processors.front()));
}

void run_progress_thread(detail::job_state& of, conduit::endpoint& below,
                         const std::vector<int>& processors, const std::stop_token& stop) {
  run_on(processors);
  const std::stop_callback wake(stop, [&below] { below.wake_poll_memory(); });
  while (!stop.stop_requested()) {
    const bool keeps_some = of.memory.send_kept_answers();
    int moved = of.lent->go_on_with_all();
    moved += below.poll_memory(!keeps_some && of.lent->empty());
    if (moved == 0) std::this_thread::yield();
  }
}

}  // namespace

std::uint64_t build_fingerprint(const void* program) {
  return detail::module_table(program).fingerprint();
}

job::job(std::unique_ptr<detail::footing> below, int rank, const job_options& options)
    : below_(std::move(below)),
      rank_(rank),
      size_(below_->endpoint.world_size()),
      virtual_time_(below_->endpoint.describe().virtual_time),
      ordered_(below_->endpoint.describe().ordered),
      options_(options) {
  below_->above = this;
  state_ = std::make_unique<detail::job_state>(*this, *below_, options_);
  regions_ = &state_->regions;
  state_->hang.board = options_.hang_board;
  if (options_.hang_board == nullptr && size_ > 1 && !virtual_time_) {
    state_->inquiry = std::make_unique<detail::hang_inquiry>(*this);
    state_->hang.board = state_->inquiry.get();
  }
  state_->polled_for = below_->waiter->polls_for(rank_);
  below_->endpoint.attach(rank_, below_.get());
  state_->live = &process::enter(this, &detail::describe_wait);
  // One rank an endpoint: poll_memory is for one thread, and delivers to all ranks of the endpoint.
  if (options_.progress_thread && !virtual_time_ && below_->endpoint.local_ranks() == 1) {
    state_->lent = std::make_unique<lent_tasks>();
    state_->progress_thread = std::jthread([this](const std::stop_token& stop) {
      run_progress_thread(*state_, below_->endpoint, options_.progress_processors, stop);
    });
  }
}

job::~job() {
  if (state_->progress_thread.joinable()) {
    state_->progress_thread.request_stop();
    state_->progress_thread.join();
  }
  state_->progressing.clear();
  state_->on_teams.clear();
  state_->busy_services = 0;
  state_->next_alarm = duration::max();
  state_->word_watchers = 0;
  while (!state_->services.empty()) {
    const auto last = std::move(state_->services.back());  // it may still ask for others
    state_->services.pop_back();
    last_tag_ = nullptr;
  }
  process::leave(*state_->live);
  below_->endpoint.attach(rank_, nullptr);
}

team job::world() const { return state_->teams->world(); }

void job::progress() {
  if (in_handler_) {
    throw error(error_kind::argument,
                fmt::format("rank {}: progress() from inside a handler; handlers run to "
                            "completion and only send or reply",
                            rank_));
  }
  host(*this).charge(conduit::cost::poll, 1);
  if (state_->aside != nullptr) [[unlikely]] {
    return state_->aside->give_way(polling, virtual_time_);
  }
  unsigned& empty = state_->empty_polls;
  const int moved = progress_step();
  // A question what this rank waits in does not end the wait.
  empty = moved == 0 || moved == std::exchange(state_->inquired, 0) ? empty + 1 : 0;
  if (empty == 0) state_->hang.polling_since_ps = 0;
  if (empty <= most_empty_polls || virtual_time_) return below_->waiter->yield(rank_);
  const bool goes_on = std::exchange(state_->keeps_processor, false);
  if (goes_on && empty != most_empty_polls + 1) {  // a wait begins in any case
    ++state_->kept_polls;
  } else {
    pause_polling();
  }
}

/// The caller polls for something to come, by test() or by a loop of its own: as in a wait, the
/// others who share the processor go first. Not if it computes between one poll and the next.
void job::pause_polling() {
  auto& state = *state_;
  const int polls = 1 + std::exchange(state.kept_polls, 0);
  if (state.empty_polls != most_empty_polls + 1 &&
      steady_now() - state.last_pause > duration::from_us(computing_us) * polls) {
    state.empty_polls = 0;
    return below_->waiter->yield(rank_);
  }
  if (state.empty_polls == most_empty_polls + 1) {
    below_->waiter->begin_wait(rank_);
    state.hang.polling_since_ps = steady_now().ps();
    state.hang.reported = false;
  }
  below_->waiter->idle(rank_, conduit::wait_target::credit(-1, lane::request), polling);
  state.last_pause = steady_now();
  const std::int64_t since_ps = state.hang.polling_since_ps;
  if (since_ps == 0) return;  // what another thread did meanwhile has ended it
  detail::tell_of_wait(*this, state.last_pause - duration::from_ps(since_ps));
}

int job::progress_step() {
  below_->act_first(false);
  auto& state = *state_;
  const auto throw_fault = [&] {
    if (detail::job_access::failed(*this)) [[unlikely]]
      std::rethrow_exception(state.fault);
  };
  if (++state.steps % steps_a_look == 0) [[unlikely]]
    look_for_losses();
  throw_fault();  // first, since what is under way may use memory that is gone (request)
  int moved = below_->endpoint.poll(rank_);
  if (state.messages.deferred() != 0) [[unlikely]]
    moved += state.messages.drain();
  if (state.memory.busy()) [[unlikely]]
    moved += state.memory.progress();
  if (state.busy_services != 0) [[unlikely]]
    moved += services_step();
  throw_fault();
  return moved;
}

/// The next progress throws.
void job::look_for_losses() noexcept {
  const int lost = below_->endpoint.lost_rank();
  if (lost < 0) return;
  detail::job_access::set_fault(
      *this, std::make_exception_ptr(error(
                 error_kind::fault,
                 fmt::format("rank {}: rank {} died, or the network to it did", rank_, lost))));
}

/// A layer that waits in its progress does not get into it again; it may make services.
int job::services_step() {
  auto& state = *state_;
  if (state.in_services) return 0;
  struct scope {
    bool& inside;
    explicit scope(bool& flag) : inside(flag) { inside = true; }
    ~scope() { inside = false; }
  } const in(state.in_services);
  if (state.next_alarm != duration::max()) [[unlikely]]
    wake_services();
  int moved = 0;
  for (std::size_t i = 0; i < state.progressing.size(); ++i) {
    if (state.progressing[i]->busy_) moved += state.progressing[i]->progress();
  }
  return moved;
}

/// Those whose alarm goes off.
void job::wake_services() noexcept {
  const duration time = now();
  if (time < state_->next_alarm) return;
  for (service_base* const each : state_->progressing) {
    if (each->alarm_ > time) continue;
    each->alarm_ = duration::max();
    host(*this).set_busy(*each, true);
  }
  find_next_alarm();
}

void job::find_next_alarm() noexcept {
  auto& state = *state_;
  const duration before = std::exchange(state.next_alarm, duration::max());
  for (const service_base* const each : state.progressing) {
    state.next_alarm = std::min(state.next_alarm, each->alarm_);
  }
  state.busy_services +=
      (state.next_alarm != duration::max() ? 1 : 0) - (before != duration::max() ? 1 : 0);
}

duration job::now() const noexcept { return below_->endpoint.now(rank_); }

void job::compute(duration time) { below_->endpoint.compute(rank_, time); }

void job::quiet(call_site site) {
  const auto complete = conduit::wait_target::counter_zero(state_->implicit_pending);
  if (complete.ready() && state_->detached.none()) return;
  const wait_reason reason{.operation = "quiet", .site = site};
  host(*this).wait(complete, reason);
  const auto none_detached = [](const void* context) {
    auto& detached = *static_cast<detail::detached_tickets*>(const_cast<void*>(context));
    detached.sweep();
    return detached.none();
  };
  if (state_->detached.none()) return;
  host(*this).wait(conduit::wait_target::predicate(none_detached, &state_->detached), reason);
}

void job::quiet(int rank, call_site site) {
  const auto* pending = state_->memory.find_implicit_towards(rank);
  if (pending == nullptr) return;
  host(*this).wait(conduit::wait_target::counter_zero(*pending),
                   {.operation = "quiet", .peer = rank, .site = site});
}

service_base* job::find_service(const void* tag) noexcept {
  for (const auto& [known, service] : state_->services) {
    if (known != tag) continue;
    last_tag_ = known;
    return last_found_ = service.get();
  }
  return nullptr;
}

void job::keep_service(const void* tag, std::unique_ptr<service_base> made) {
  if (made->wants_progress()) {
    state_->progressing.push_back(made.get());
    host(*this).set_busy(*made, true);
  }
  const auto before = [](const service_base* a, const service_base* b) {
    const team_place one = a->place_on_teams();
    const team_place other = b->place_on_teams();
    return std::pair(one.order, one.name) < std::pair(other.order, other.name);
  };
  auto& hear = state_->on_teams;
  hear.insert(std::ranges::upper_bound(hear, made.get(), before), made.get());
  state_->services.emplace_back(tag, std::move(made));
}

// -- Arrivals -----------------------------------------------------------------------------------

void detail::footing::deliver(const active_message& arrived) { above->deliver(arrived); }

observe::standing detail::footing::standing() const { return standing_of(*above); }

/// A whole message in its turn, for a handler where most are, is run without a call on the way.
void job::deliver(const active_message& arrived) {
  if (ordered_ && arrived.kind != lane::memory) [[likely]] {
    const void* function = state_->modules.known_function(arrived.handler);
    if (function != nullptr) [[likely]]
      return run_function(function, arrived);
  }
  deliver_rest(arrived);
}

/// What is not a whole message in its turn: memory operations, pieces, messages out of order.
[[gnu::noinline]] void job::deliver_rest(const active_message& arrived) {
  const auto dispatch = [this](const active_message& m) {
    if (detail::is_piece(m.handler)) {
      state_->pieces.receive(m, [this](const active_message& whole) { run_handler(whole); });
    } else {
      run_handler(m);
    }
  };
  try {
    if (arrived.kind == lane::memory) {
      state_->memory.deliver(arrived);
    } else if (ordered_) {
      dispatch(arrived);
    } else {
      state_->in_order.receive(arrived, dispatch);
    }
  } catch (...) {
    detail::job_access::set_fault(*this, std::current_exception());
  }
}

void job::run_handler(const active_message& m) {
  const void* function = nullptr;
  try {
    function = state_->modules.function_of(m.handler);
  } catch (...) {
    return detail::job_access::set_fault(*this, std::current_exception());
  }
  run_function(function, m);
}

void job::run_function(const void* function, const active_message& m) {
  using thunk = void (*)(job&, const active_message&);
  ++counters_.handlers_run;
  host(*this).charge(conduit::cost::handler, 1);
  handling_ = m.kind;
  in_handler_ = true;
  reinterpret_cast<thunk>(const_cast<void*>(function))(*this, m);  // lets no exception out
  in_handler_ = false;
}

namespace detail {

void handler_threw(job& here, const active_message& m, const char* handler) noexcept {
  std::string why = "an exception that is no std::exception";
  try {
    throw;
  } catch (const std::exception& e) {
    why = e.what();
  } catch (...) {  // keeps the text above
  }
  // "... am_pack<Handler>::thunk(...) [with auto Handler = name]": the name is what helps.
  std::string_view name(handler);
  if (const auto at = name.rfind("Handler = "); at != std::string_view::npos) {
    name = name.substr(at + 10);
    name = name.substr(0, name.find_first_of("];"));
  }
  job_access::set_fault(
      here, std::make_exception_ptr(error(
                error_kind::fault, fmt::format("rank {}: handler {} of a message from rank {} "
                                               "threw: {}; handlers must not throw",
                                               here.rank(), name, m.source, why))));
}

}  // namespace detail
}  // namespace upwash
