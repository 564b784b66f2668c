// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/detail/memory_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "upwash/base/apply_atomic.hpp"
#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/wait_scope.hpp"
#include "upwash/observe/trace_writer.hpp"

namespace upwash::detail {
namespace {

/// Callbacks in one progress: each may start an operation that is complete at once.
constexpr int callbacks_at_once = 64;

/// For who watches writes, if anybody: what is injected meanwhile belongs to the operation.
class injecting_for {
 public:
  injecting_for(conduit::write_watch* watch, int rank, const operation& op)
      : watch_(watch), rank_(rank) {
    if (watch_ != nullptr) watch_->injects(rank, op.watched, op.steps_done == 0);
  }
  ~injecting_for() {
    if (watch_ != nullptr) watch_->injected(rank_);
  }
  injecting_for(const injecting_for&) = delete;
  injecting_for& operator=(const injecting_for&) = delete;

 private:
  conduit::write_watch* watch_;
  int rank_;
};

}  // namespace

memory_engine::memory_engine(job& here, const peer_facts& peers, region_table& regions,
                             bool threaded)
    : here_(here),
      endpoint_(host(here).endpoint()),
      watch_(endpoint_.watch()),
      regions_(regions),
      peers_(peers),
      threaded_(threaded) {
  add_own_rows();
}

operation* memory_engine::make(const transfer& what, const stage_target& local,
                               const stage_target& remote) {
  operation* op = operations_.take();
  in_flight_.fetch_add(1, std::memory_order_relaxed);  // a count, ordered by the lock
  using kind = transfer::kind;
  op->region = what.what == kind::get_exposed || what.what == kind::confirm
                   ? nullptr
                   : regions_.find(what.at.region);
  const bool elsewhere = what.signal.rank >= 0 && what.signal.region != what.at.region;
  op->signal_region =
      elsewhere && op->region != nullptr ? regions_.find(what.signal.region) : nullptr;
  if (op->region != nullptr) ++op->region->under_way;
  if (op->signal_region != nullptr) ++op->signal_region->under_way;
  const auto open = [op](stage& s, const stage_target& target) {
    s.hook.tell = &memory_engine::hook;
    s.target = target;
    s.of = op;
    s.open = target.counter != nullptr || target.function != nullptr;
    s.awaited = op->region != nullptr && s.open && !target.in_background;
    if (!s.awaited) return;
    ++op->region->awaited;
    if (op->signal_region != nullptr) ++op->signal_region->awaited;
  };
  open(op->local, local);
  open(op->remote, remote);
  op->what = what;
  if (what.key != nullptr) {
    op->key.copy_from(*what.key);
    op->what.key = &op->key;
  }
  op->engine = this;
  op->name = 0;
  if (watch_ != nullptr) tell_watch_of(*op);
  count_begun(*op);
  op->step.hook.tell = &memory_engine::step_hook;
  op->step.of = op;
  op->steps_done = 0;
  op->injected = 0;
  op->acknowledged = 0;
  return op;
}

void memory_engine::check(const transfer& what) const {
  check_rank(what.at.rank);
  if (what.what == transfer::kind::get_exposed || what.what == transfer::kind::confirm) return;
  check_place(what.at, what.what == transfer::kind::call ? 0 : what.bytes);
  if (what.what == transfer::kind::atomic) check_atomic(what);
  if (what.signal.rank < 0) return;
  check_place(what.signal, sizeof what.signal_add);
  if (what.signal.offset % sizeof what.signal_add != 0) {
    throw error(error_kind::argument,
                fmt::format("rank {}: the word of a signal at offset {} of rank {} is not aligned "
                            "to 8 bytes",
                            here_.rank(), what.signal.offset, what.signal.rank));
  }
}

void memory_engine::check_rank(int rank) const {
  if (rank < 0 || rank >= here_.size()) {
    throw error(error_kind::argument, fmt::format("rank {}: a pointer to rank {} of {} ranks",
                                                  here_.rank(), rank, here_.size()));
  }
}

void memory_engine::check_place(const place& at, std::size_t bytes) const {
  const region_state* region = regions_.find(at.region);
  if (region == nullptr) {
    throw error(error_kind::argument,
                fmt::format("rank {}: the pointer to rank {}, offset {} names a region that this "
                            "rank is no member of, or that was freed",
                            here_.rank(), at.rank, at.offset));
  }
  if (at.offset > region->most_bytes || bytes > region->most_bytes - at.offset) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {} bytes at offset {} of rank {} leave the region of {} "
                            "bytes",
                            here_.rank(), bytes, at.offset, at.rank, region->most_bytes));
  }
}

/// Emulated, the owner's processor would carry it out, beside the network's on the same word.
void memory_engine::check_atomic(const transfer& what) const {
  const region_state& region = *regions_.find(what.at.region);
  const auto [kind, width, operand, compare] = what.atomic;
  if (region.atomics != atomicity::network || region.uses.contains(kind, width)) return;
  throw error(error_kind::argument,
              fmt::format("rank {}: {} of {} bytes at rank {}: the region is for other atomics; "
                          "name it among those that `allocate` is given",
                          here_.rank(), to_string(kind), width, what.at.rank));
}

const part* memory_engine::reach(const place& at, std::size_t bytes) {
  const part* there = find_part(at.rank, at.region);
  if (there == nullptr) return nullptr;
  if (bytes > there->size || at.offset > there->size - bytes) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {} bytes at offset {} leave the {} bytes that rank {} has "
                            "in this region",
                            here_.rank(), bytes, at.offset, there->size, at.rank));
  }
  return there;
}

void memory_engine::start(const transfer& what, const stage_target& local,
                          const stage_target& remote) {
  {
    const auto held = lock();
    operation& op = *make(what, local, remote);
    if (!to_start_.contains(what.at.rank) && start_or_fail(op)) return;
    to_start_[what.at.rank].push_back(&op);
    ++waiting_;
  }
  const auto too_many = [this] { return waiting_.load(std::memory_order_relaxed) > start_limit; };
  if (here_.in_handler() || calling_ || !too_many()) return;
  const conduit::wait_reason reason{
      .operation = "put or get", .peer = what.at.rank, .bytes = what.bytes};
  const wait_scope in(here_, reason);
  while (too_many()) {
    host(here_).wait(conduit::wait_target::credit(what.at.rank, conduit::lane::memory), reason);
  }
}

bool memory_engine::try_start(operation& op) {
  const injecting_for blamed(watch_, here_.rank(), op);
  transfer& what = op.what;
  const conduit::peer_capabilities& can = peers_.of(what.at.rank);
  if (what.what == transfer::kind::get_exposed) {
    if (!can.private_reads) return start_emulated(op);
    if (!op.imported) {
      op.exposed = endpoint_.import(here_.rank(), what.at.rank, op.key);
      op.imported = true;
    }
    return settle(op, endpoint_.get(here_.rank(), op.exposed, what.at.offset,
                                    {what.into, what.bytes}, &op.local.hook));
  }
  if (what.what == transfer::kind::call) return start_call(op);
  if (what.what == transfer::kind::confirm) return start_confirm(op);
  const region_state* region = regions_.find(what.at.region);
  const bool by_message =
      what.what == transfer::kind::atomic ? region->atomics == atomicity::owner : !can.remote_write;
  const part* target = reach(what.at, what.bytes);
  if (target == nullptr) return false;
  const part* word = nullptr;
  if (what.signal.rank >= 0) {
    word = reach(what.signal, sizeof what.signal_add);
    if (word == nullptr) return false;
  }
  return by_message ? start_emulated(op) : start_native(op, region->atomics, *target, word);
}

bool memory_engine::start_native(operation& op, atomicity atomics, const part& target,
                                 const part* word) {
  const transfer& what = op.what;
  const conduit::peer_capabilities& can = peers_.of(what.at.rank);
  const conduit::completions when{op.local.open ? &op.local.hook : nullptr,
                                  op.remote.open ? &op.remote.hook : nullptr};
  switch (what.what) {
    case transfer::kind::put: {
      if ((op.remote.open && !can.remote_completion) || (word != nullptr && !can.put_signal)) {
        return put_in_steps(op, target);
      }
      conduit::put_signal signal;
      if (word != nullptr) signal = {&word->memory, what.signal.offset, what.signal_add};
      const conduit::injection put =
          endpoint_.put(here_.rank(), target.memory, what.at.offset, {what.from, what.bytes}, when,
                        word != nullptr ? &signal : nullptr);
      if (what.silent && put.what == conduit::outcome::pending) {
        ++records_[what.at.rank].unflushed;
        ++to_all_.unflushed;
      }
      return settle(op, put);
    }
    case transfer::kind::get:
      return settle(op, endpoint_.get(here_.rank(), target.memory, what.at.offset,
                                      {what.into, what.bytes}, &op.local.hook));
    default:
      if (atomics == atomicity::processor) {  // which did not have the address yet
        const std::uint64_t old = apply_atomic(target.direct + what.at.offset, what.atomic);
        if (what.old != nullptr) *what.old = old;
        write_down_atomic(what);
        return settle(op, conduit::injection::done());
      }
      return settle(op, endpoint_.atomic(here_.rank(), target.memory, what.at.offset, what.atomic,
                                         what.old, when));
  }
}

/// What the endpoint does not see.
void memory_engine::write_down_atomic(const transfer& what) const {
  observe::trace_writer* const into = endpoint_.trace(here_.rank());
  if (into == nullptr) return;
  into->next() = {.begin_ps = here_.now().ps(),
                  .bytes = what.bytes,
                  .peer = what.at.rank,
                  .name = into->name("atomic", nullptr, {}),
                  .kind = observe::trace_kind::atomic};
}

bool memory_engine::settle(operation& op, conduit::injection result) {
  if (result.what == conduit::outcome::retry) return false;
  if (result.what == conduit::outcome::done) {
    const bool local = op.local.open;  // telling the last stage gives the operation back
    const bool remote = op.remote.open;
    if (local) told(op.local);
    if (remote) told(op.remote);
    if (!local && !remote) end(op);  // refused, and nobody asked to be told
  }
  return true;
}

void memory_engine::told(stage& which) noexcept {
  operation& op = *which.of;
  which.open = false;
  if (watch_ != nullptr && &which == &op.remote) tell_watch_of_end(op);
  const stage_target target = which.target;
  if (std::exchange(which.awaited, false)) {
    --op.region->awaited;
    if (op.signal_region != nullptr) --op.signal_region->awaited;
  }
  if (std::exchange(op.imported, false)) endpoint_.forget(here_.rank(), op.exposed);
  if (!op.local.open && !op.remote.open) {
    end(op);
  }
  tell_locked(target);
}

void memory_engine::end(operation& op) noexcept {
  if (op.name != 0) names_.leave(op.name);
  if (watch_ != nullptr) watch_->end(op.watched);
  if (op.region != nullptr) --op.region->under_way;
  if (op.signal_region != nullptr) --op.signal_region->under_way;
  count_end(op);
  operations_.give_back(&op);
  in_flight_.fetch_sub(1, std::memory_order_relaxed);
}

void memory_engine::tell(const stage_target& target) {
  const auto held = lock();
  tell_locked(target);
}

void memory_engine::tell_locked(const stage_target& target) {
  // Release: the data that came is visible to whoever sees the count reach zero.
  if (target.counter != nullptr) {
    const std::uint32_t before = target.counter->fetch_sub(1, std::memory_order_release);
    ensure<check_level::full>(before != 0, "a stage is told once");
  }
  if (target.also != nullptr) target.also->fetch_sub(1, std::memory_order_release);
  if (target.function != nullptr) {
    callbacks_.push_back({target.function, target.context});
    ++waiting_;
  }
}

void memory_engine::hook(conduit::completion& told) noexcept {
  // The hook is the first member of its stage.
  auto& which = reinterpret_cast<stage&>(told);
  memory_engine& self = *which.of->engine;
  const auto held = self.lock();
  self.told(which);
}

int memory_engine::send_deferred() {
  int moved = 0;
  for (auto it = deferred_.begin(); it != deferred_.end();) {
    auto& queue = it->second;
    for (; !queue.empty() && inject(queue.front().view()); ++moved, --waiting_) queue.pop_front();
    it = queue.empty() ? deferred_.erase(it) : std::next(it);
  }
  return moved;
}

/// Nobody waits for an operation that turns out wrong: its counters are told, then the error goes
/// up. Its callbacks would take it for done: they are not called.
bool memory_engine::start_or_fail(operation& op) {
  try {
    if (op.steps_done == 0) check(op.what);  // else a conduit may know of it
    return try_start(op);
  } catch (...) {
    op.local.target.function = nullptr;
    op.remote.target.function = nullptr;
    static_cast<void>(settle(op, conduit::injection::done()));
    throw;
  }
}

int memory_engine::start_waiting(std::map<int, std::deque<operation*>>& waiting) {
  int moved = 0;
  for (auto it = waiting.begin(); it != waiting.end();) {
    auto& queue = it->second;
    while (!queue.empty()) {
      operation& next = *queue.front();
      queue.pop_front();
      --waiting_;
      if (!start_or_fail(next)) {
        queue.push_front(&next);
        ++waiting_;
        break;
      }
      ++moved;
    }
    it = queue.empty() ? waiting.erase(it) : std::next(it);
  }
  return moved;
}

bool memory_engine::send_kept_answers() {
  if (!busy()) return false;
  const auto held = lock();
  send_deferred();
  return !deferred_.empty();
}

int memory_engine::progress() {
  int moved = 0;
  {
    const auto held = lock();
    moved = enter_keys() + send_deferred() + start_waiting(to_go_on_) + start_waiting(to_start_) +
            start_flushes();
  }
  return moved + run_callbacks();
}

int memory_engine::run_callbacks() {
  if (calling_) return 0;
  struct scope {
    bool& calling;
    explicit scope(bool& flag) : calling(flag) { calling = true; }
    ~scope() { calling = false; }
  } const in(calling_);
  const auto next = [this](std::pair<void (*)(void*), void*>& taken) {
    const auto held = lock();
    if (callbacks_.empty()) return false;
    taken = callbacks_.front();
    callbacks_.pop_front();
    --waiting_;
    return true;
  };
  int called = 0;
  std::pair<void (*)(void*), void*> callback;
  for (; called < callbacks_at_once && next(callback); ++called) callback.first(callback.second);
  return called;
}

std::uint64_t memory_engine::expose(std::span<const std::byte> span) {
  const auto held = lock();
  exposed_[++exposures_] = span;
  return exposures_;
}

void memory_engine::conceal(std::uint64_t id) {
  const auto held = lock();
  exposed_.erase(id);
}

}  // namespace upwash::detail
