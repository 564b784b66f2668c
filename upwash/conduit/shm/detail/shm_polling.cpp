// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Polls of the endpoint: what arrives, and to whom it is handed over.
#include <mutex>
#include <utility>

#include "upwash/conduit/shm/detail/shm_endpoint.hpp"

namespace upwash::conduit::shm_detail {
namespace {

constexpr int messages_at_once = 64;          // of one ring in one poll
constexpr std::uint32_t polls_a_look = 4096;  // for a failure of the job

}  // namespace

int shm_endpoint::poll(int rank) {
  if (scheduler_ == nullptr) return poll_for_all();
  return std::exchange(came_[local_of(rank)], 0);
}

int shm_endpoint::poll_for_all() {
  if (polling_) return 0;  // E3: a handler never polls
  polling_ = true;
  struct reset {
    bool& flag;
    ~reset() { flag = false; }
  } const guard{polling_};
  // Also where something moves in each poll, and so nobody idles.
  if (++polls_ % polls_a_look == 0) look_for_deaths();
  refused_ = false;
  int happened = early_.empty() ? 0 : deliver_early(early_);
  happened += announcing_ ? poll_announced() : poll_all();
  if (reader_.busy()) happened += reader_.advance();
  if (happened != 0) patience_.reset();
  return happened;
}

/// One place after the other, where the last look ended; what came is answered before the rest is
/// looked at. The last place is what stays in this process, and the memory lane.
int shm_endpoint::poll_all() {
  const int processes = mesh_.processes();
  for (int looks = 0; looks <= processes; ++looks) {
    const int place = turn_;
    turn_ = place == processes ? 0 : place + 1;
    int happened = 0;
    if (place == processes) {
      // Relaxed: a late look is another poll's work.
      if (to_self_.load(std::memory_order_relaxed)) poll_self(happened);
      happened += look_for_memory();
    } else if (place != mesh_.self()) {
      happened += take(place, lane::request, messages_at_once);
      happened += take(place, lane::reply, messages_at_once);
    }
    if (happened != 0) return happened;
  }
  return 0;
}

void shm_endpoint::poll_self(int& happened) {
  // An exchange, so that no look at the rings below is done before it: whoever sends meanwhile
  // either is seen there or sets the flag again.
  to_self_.exchange(false);
  const bool again = look_at(mesh_.self(), happened);
  if (again || memory_wanted_) to_self_.store(true, std::memory_order_relaxed);
  memory_wanted_ = false;
}

int shm_endpoint::poll_announced() {
  int happened = 0;
  for (int p = 0; p < mesh_.processes(); ++p) {
    look_again& known = seen_[static_cast<std::size_t>(p)];
    // Acquire: pairs with announce.
    const std::uint16_t count = mesh_.arrivals_from(p).load(std::memory_order_acquire);
    if (count == known.count && !known.again) continue;
    known = {count, look_at(p, happened)};
  }
  // Relaxed, both: as in look_for_memory.
  if (memory_wanted_ || serving_.load(std::memory_order_relaxed) || !early_memory_.empty()) {
    if (!inbound_.try_lock()) return happened;
    const std::lock_guard guard(inbound_, std::adopt_lock);
    happened += take_memory();
    memory_wanted_ = false;
    for (int p = 0; p < mesh_.processes(); ++p) memory_wanted_ |= wants_memory(p);
  }
  return happened;
}

/// Takes what one process sent. Whether its rings want another look soon.
bool shm_endpoint::look_at(int process, int& happened) {
  bool again = false;
  for (const lane kind : {lane::request, lane::reply}) {
    happened += take(process, kind, messages_at_once);
    again |= in(process, kind).ready() || in(process, kind).owing();
  }
  memory_wanted_ |= wants_memory(process);
  return again;
}

/// Takes from a ring in which something waits.
[[gnu::flatten]] int shm_endpoint::take_waiting(receiver_ring& ring, int process, lane kind,
                                                int most) {
  const bool simple = kind != lane::memory && hosted_ == 1 && scheduler_ == nullptr;
  if (!simple || sinks_.front() == nullptr || early_.waits_for(0)) [[unlikely]] {
    return take_for_any(ring, process, kind, most);
  }
  sink& receiver = *sinks_.front();
  const int first = ranks_.first_of(process);
  return ring.take(kind, most, [&](message& arrived, line_tail tail) {
    arrived.source = first + tail.source;
    arrived.destination = first_rank_;
    receiver.deliver(arrived);
    return !receiver.acts_first();
  });
}

[[gnu::noinline]] int shm_endpoint::take_for_any(receiver_ring& ring, int process, lane kind,
                                                 int most) {
  return ring.take(kind, most, [&](message& arrived, line_tail tail) {
    arrived.source = ranks_.first_of(process) + tail.source;
    arrived.destination = first_rank_ + tail.destination;
    if (arrived.handler.module == control_module && kind == lane::memory) {
      server_.control_arrived(process, mesh_.peer(process).pid,
                              static_cast<control>(arrived.handler.offset), arrived.arguments);
      return true;
    }
    return deliver(arrived, kind == lane::memory ? early_memory_ : early_);
  });
}

bool shm_endpoint::memory_waits() noexcept {
  // Relaxed, all: what they announce is read under the lock; a late look is another poll's work.
  if (serving_.load(std::memory_order_relaxed) || !early_memory_.empty()) return true;
  const bool from_self = announcing_ || to_self_.load(std::memory_order_relaxed);
  const int self = mesh_.self();
  const int processes = mesh_.processes();
  for (int p = 0; p < processes; ++p) {
    if ((p != self || from_self) && wants_memory(p)) return true;
  }
  return false;
}

int shm_endpoint::look_for_memory() {
  if (!memory_waits() || !inbound_.try_lock()) return 0;
  const std::lock_guard guard(inbound_, std::adopt_lock);
  return take_memory();
}

int shm_endpoint::take_memory() {
  int happened = early_memory_.empty() ? 0 : deliver_early(early_memory_);
  for (int p = 0; p < mesh_.processes(); ++p) {
    if (has_sent(p)) happened += take(p, lane::memory, messages_at_once);
  }
  if (server_.busy()) happened += server_.serve();
  serving_.store(server_.busy(), std::memory_order_relaxed);
  // The thread may have looked between the line that asks and the flag, and not have seen either.
  if (server_.busy()) wake(mesh_.self());
  return happened;
}

/// Whether more may be taken at once.
bool shm_endpoint::deliver(message& arrived, early_messages& kept) {
  const auto local = static_cast<std::size_t>(arrived.destination - first_rank_);
  if (sinks_[local] == nullptr || kept.waits_for(local)) [[unlikely]] {
    kept.keep(local, arrived);
    return true;
  }
  hand_over(arrived, local);
  return !sinks_[local]->acts_first();
}

int shm_endpoint::deliver_early(early_messages& kept) {
  return kept.deliver(sinks_, [this](const message& m, std::size_t local) { hand_over(m, local); });
}

}  // namespace upwash::conduit::shm_detail
