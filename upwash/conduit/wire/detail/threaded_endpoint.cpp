// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/wire/detail/threaded_endpoint.hpp"

#include <utility>

namespace upwash::conduit::wire {
namespace {

constexpr std::size_t most_kept = 4096;  // messages for a rank that computes
constexpr int looks_before_nap = 64;

using guard = std::lock_guard<std::mutex>;

}  // namespace

threaded_endpoint::threaded_endpoint(std::unique_ptr<wire_endpoint> over, bool naps)
    : over_(std::move(over)), naps_(naps) {}

void threaded_endpoint::attach(int rank, sink* receiver) {
  const guard held(lock_);
  receiver_ = receiver;
  over_->attach(rank, receiver == nullptr ? nullptr : &inbox_);
}

// -- Into the engine ------------------------------------------------------------------------------

injection threaded_endpoint::send(const message& m, bool from_handler) {
  const guard held(lock_);
  return over_->send(m, from_handler);
}

injection threaded_endpoint::prepare(int source, int destination, lane kind, std::size_t bytes,
                                     reservation& room) {
  const guard held(lock_);
  return over_->prepare(source, destination, kind, bytes, room);
}

void threaded_endpoint::commit(const reservation& room, const message& m) {
  const guard held(lock_);
  over_->commit(room, m);
}

void threaded_endpoint::cancel(const reservation& room) {
  const guard held(lock_);
  over_->cancel(room);
}

void threaded_endpoint::throttle(bool on) {
  const guard held(lock_);
  over_->throttle(on);
}

memory_block threaded_endpoint::allocate(int rank, std::size_t bytes) {
  const guard held(lock_);
  return over_->allocate(rank, bytes);
}

void threaded_endpoint::release(int rank, const memory_block& block) {
  const guard held(lock_);
  over_->release(rank, block);
}

memory_key threaded_endpoint::register_span(int rank, std::span<const std::byte> span) {
  const guard held(lock_);
  return over_->register_span(rank, span);
}

void threaded_endpoint::deregister(int rank, const memory_key& key) {
  const guard held(lock_);
  over_->deregister(rank, key);
}

remote_memory threaded_endpoint::import(int rank, int owner, const memory_key& key) {
  const guard held(lock_);
  return over_->import(rank, owner, key);
}

void threaded_endpoint::forget(int rank, const remote_memory& memory) {
  const guard held(lock_);
  over_->forget(rank, memory);
}

template <class Begin>
injection threaded_endpoint::with_stand_in(completion* real, const Begin& begin) {
  const guard held(lock_);
  if (real == nullptr) return begin(nullptr);
  stand_in& one = *stand_ins_.take();
  one.tell = &listed;
  one.home = this;
  one.real = real;
  const injection result = begin(&one);
  if (result.what != outcome::pending) stand_ins_.give_back(&one);
  return result;
}

injection threaded_endpoint::put(int rank, const remote_memory& to, std::size_t offset,
                                 std::span<const std::byte> from, completions when,
                                 const put_signal* signal) {
  return with_stand_in(when.local, [&](completion* local) {
    return over_->put(rank, to, offset, from, {.local = local, .remote = nullptr}, signal);
  });
}

injection threaded_endpoint::get(int rank, const remote_memory& from, std::size_t offset,
                                 std::span<std::byte> to, completion* local) {
  return with_stand_in(local,
                       [&](completion* told) { return over_->get(rank, from, offset, to, told); });
}

injection threaded_endpoint::atomic(int rank, const remote_memory& at, std::size_t offset,
                                    const atomic_operation& operation, std::uint64_t* old,
                                    completions when) {
  return with_stand_in(when.local, [&](completion* local) {
    return over_->atomic(rank, at, offset, operation, old, {.local = local, .remote = nullptr});
  });
}

injection threaded_endpoint::flush(int rank, int peer, completion* when) {
  return with_stand_in(when, [&](completion* told) { return over_->flush(rank, peer, told); });
}

int threaded_endpoint::lost_rank() const noexcept {
  const guard held(lock_);
  return over_->lost_rank();
}

/// The progress thread finds the lock taken meanwhile, and turns away.
void threaded_endpoint::close(int rank) {
  const guard held(lock_);
  closed_ = true;
  over_->close(rank);
}

// -- Out of it ------------------------------------------------------------------------------------

void threaded_endpoint::inbox::deliver(const message& arrived) {
  kept copy{arrived, {arrived.arguments.begin(), arrived.arguments.end()}};
  copy.bytes.insert(copy.bytes.end(), arrived.payload.begin(), arrived.payload.end());
  (arrived.kind == lane::memory ? home.memory_ : home.others_).push_back(std::move(copy));
}

void threaded_endpoint::listed(completion& self) noexcept {
  auto& one = static_cast<stand_in&>(self);
  threaded_endpoint& home = *one.home;
  home.told_.push_back(one.real);
  home.stand_ins_.give_back(&one);
}

int threaded_endpoint::tell_listed() {
  std::vector<completion*> all;
  {
    const guard held(lock_);
    all.swap(told_);
  }
  for (completion* each : all) each->tell(*each);
  return static_cast<int>(all.size());
}

/// Up to one that wants the rank to act.
int threaded_endpoint::hand_on(queue& from) {
  int delivered = 0;
  for (;; ++delivered) {
    sink* const receiver = receiver_;
    if (receiver == nullptr || (delivered > 0 && receiver->acts_first())) return delivered;
    kept one;
    {
      const guard held(lock_);
      if (from.empty()) return delivered;
      one = std::move(from.front());
      from.pop_front();
    }
    message m = one.header;
    const std::size_t arguments = one.header.arguments.size();
    m.arguments = std::span(one.bytes).first(arguments);
    m.payload = std::span(one.bytes).subspan(arguments);
    receiver->deliver(m);
  }
}

/// Not both threads at once: a later message would overtake an earlier one.
int threaded_endpoint::hand_on_memory() {
  const std::unique_lock turn(memory_turn_, std::try_to_lock);
  return turn.owns_lock() ? hand_on(memory_) : 0;
}

int threaded_endpoint::poll(int /*rank*/) {
  int happened = 0;
  {
    const guard held(lock_);
    happened = over_->poll_for_all();
  }
  happened += tell_listed() + hand_on_memory() + hand_on(others_);
  if (happened != 0) over_->resumed();
  return happened;
}

int threaded_endpoint::poll_memory(bool /*may_sleep*/) {
  int happened = 0;
  {
    // Taken, it is the rank that moves the engine on.
    const std::unique_lock held(lock_, std::try_to_lock);
    if (!held.owns_lock() || closed_) return 0;
    if (others_.size() < most_kept) happened = over_->poll_engine();
  }
  happened += tell_listed() + hand_on_memory();
  in_vain_ = happened == 0 ? in_vain_ + 1 : 0;
  if (naps_ && in_vain_ > looks_before_nap) patience::nap_shortly();
  return happened;
}

}  // namespace upwash::conduit::wire
