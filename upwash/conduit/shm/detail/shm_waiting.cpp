// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Time and waiting of the endpoint.
#include "upwash/conduit/shm/detail/shm_endpoint.hpp"

namespace upwash::conduit::shm_detail {
namespace {

constexpr int turns_away = 16;                  // of the core, in one idle
constexpr std::uint32_t looks_before_nap = 64;  // of the thread beside the rank, in vain

}  // namespace

duration shm_endpoint::now(int /*rank*/) const noexcept { return clock_.now() - mesh_.start(); }

void shm_endpoint::compute(int /*rank*/, duration time) {
  if (!burn_) return;
  const duration end = steady_now() + time;
  while (steady_now() < end) relax();
}

/// The launcher prints why and ends the processes; this one only gets out of the way.
void shm_endpoint::look_for_deaths() noexcept {
  if (boot_.failed()) boot_.abort(first_rank_, 1, {});
}

void shm_endpoint::pause() noexcept {
  if (patience_.pause()) look_for_deaths();
}

void shm_endpoint::idle(int /*rank*/, const wait_target& target, const wait_reason& /*reason*/) {
  for (int turn = 0; turn < turns_away; ++turn) {
    pause();
    if (patience_.chosen() == patience::policy::spin || target.ready() || something_waits() ||
        target.what() == wait_target::kind::credit) {
      return;
    }
    // Given the core back for nothing: giving it on from here costs the others less than a way
    // through the caller's loop and a poll would.
  }
}

/// Of the thread beside the rank.
int shm_endpoint::poll_memory(bool may_sleep) {
  const int happened = look_for_memory();
  if (!thread_naps_ && !thread_sleeps_) return happened;
  in_vain_ = happened == 0 ? in_vain_ + 1 : 0;
  if (in_vain_ < looks_before_nap) return happened;
  if (thread_naps_ || !may_sleep) {
    patience::nap_shortly();
  } else {
    mesh_.bell_of(mesh_.self()).sleep_unless([this] {
      return memory_waits() || look_again_.exchange(false);
    });
  }
  return happened;
}

void shm_endpoint::wake_poll_memory() {
  look_again_.store(true, std::memory_order_relaxed);  // before the fence of the bell
  wake(mesh_.self());
}

bool shm_endpoint::something_waits() noexcept {
  // Relaxed: a late look is another turn's work.
  if (refused_ || !early_.empty() || memory_wanted_ || reader_.busy() ||
      serving_.load(std::memory_order_relaxed) || to_self_.load(std::memory_order_relaxed)) {
    return true;
  }
  for (int p = 0; p < mesh_.processes(); ++p) {
    if (announcing_) {
      const auto count = mesh_.arrivals_from(p).load(std::memory_order_relaxed);
      const look_again& known = seen_[static_cast<std::size_t>(p)];
      if (count != known.count || known.again) return true;
    } else if (in(p, lane::request).ready() || in(p, lane::reply).ready() ||
               in(p, lane::memory).ready()) {
      return true;
    }
  }
  return false;
}

}  // namespace upwash::conduit::shm_detail
