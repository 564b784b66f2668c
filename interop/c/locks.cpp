// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Locks at members of a team, and fences.
#include "upwash/onesided/locks.hpp"

#include "interop/c/detail/guard.hpp"
#include "upwash/onesided/fence.hpp"

using namespace upwash::c;  // NOLINT: of this file alone
using upwash::lock_kind;

namespace {

lock_kind kind_of(upwash_lock_kind kind) {
  switch (kind) {
    case UPWASH_LOCK_TICKET: return lock_kind::ticket;
    case UPWASH_LOCK_SERVER: return lock_kind::server;
    case UPWASH_LOCK_HYBRID: return lock_kind::hybrid;
    case UPWASH_LOCK_QUEUE: return lock_kind::queue;
    case UPWASH_LOCK_TEST_AND_SET: return lock_kind::test_and_set;
    case UPWASH_LOCK_ARRAY: return lock_kind::array;
  }
  refuse(fmt::format("no kind {} of locks: expected UPWASH_LOCK_TICKET to UPWASH_LOCK_ARRAY",
                     static_cast<int>(kind)));
}

}  // namespace

extern "C" {

int upwash_locks_make(upwash_team* team, int per_rank, upwash_lock_kind kind, int most_held,
                      upwash_locks** made) {
  return guarded_by(team, "upwash_locks_make", [&] {
    given(made, "made") = nullptr;
    constexpr int usually_held = 64;
    upwash::lock_set set(team->members, per_rank, kind_of(kind),
                         most_held == 0 ? usually_held : most_held);
    *made = new upwash_locks{team->of, std::move(set)};  // NOLINT: until upwash_locks_free
  });
}

int upwash_lock(upwash_locks* locks, int member, int index) {
  return guarded_by(locks, "upwash_lock", [&] { locks->set.lock(member, index); });
}

int upwash_try_lock(upwash_locks* locks, int member, int index, int* taken) {
  return guarded_by(locks, "upwash_try_lock", [&] {
    given(taken, "taken") = 0;
    *taken = locks->set.try_lock(member, index) ? 1 : 0;
  });
}

int upwash_unlock(upwash_locks* locks, int member, int index) {
  return guarded_by(locks, "upwash_unlock", [&] { locks->set.unlock(member, index); });
}

int upwash_holds(const upwash_locks* locks, int member, int index) {
  if (locks == nullptr) return -1;
  return locks->set.holds(member, index) ? 1 : 0;
}

int upwash_locks_free(upwash_locks** locks) {
  if (locks == nullptr) return UPWASH_ARGUMENT;
  return guarded_by(*locks, "upwash_locks_free", [&] {
    (*locks)->set.release();
    delete std::exchange(*locks, nullptr);  // NOLINT: made by upwash_locks_make
  });
}

int upwash_fence(upwash_job* job, int world_rank) {
  return guarded(job, "upwash_fence", [&] { upwash::fence(job->here, world_rank); });
}

int upwash_fence_all(upwash_job* job) {
  return guarded(job, "upwash_fence_all", [&] { upwash::fence_all(job->here); });
}

}  // extern "C"
