// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Semaphores at members of a team, and fence and barrier in one.
#include "upwash/onesided/semaphore.hpp"

#include "interop/c/detail/guard.hpp"
#include "interop/c/detail/layouts.hpp"
#include "interop/c/detail/requests.hpp"
#include "upwash/onesided/fence_barrier.hpp"

using namespace upwash::c;  // NOLINT: of this file alone

extern "C" {

int upwash_semaphores_make(upwash_team* team, int per_rank, uint64_t initial,
                           upwash_semaphores** made) {
  return guarded_by(team, "upwash_semaphores_make", [&] {
    given(made, "made") = nullptr;
    upwash::semaphore_set set(team->members, per_rank, initial);
    *made = new upwash_semaphores{team->of, std::move(set)};  // NOLINT: until they are freed
  });
}

int upwash_post(upwash_semaphores* semaphores, int member, int index, uint64_t n,
                upwash_request** request) {
  return guarded_by(semaphores, "upwash_post", [&] {
    hand_over(*semaphores->of, semaphores->set.post(member, index, n), request);
  });
}

int upwash_put_and_post(upwash_semaphores* semaphores, upwash_region* to, int member,
                        uint64_t offset, const void* from, size_t bytes, int index, uint64_t n,
                        upwash_request** request) {
  return guarded_by(semaphores, "upwash_put_and_post", [&] {
    const auto at = given(to, "to").memory.at(member, offset);
    hand_over(*semaphores->of,
              semaphores->set.put_and_post(at, input(from, bytes, "from"), index, n), request);
  });
}

int upwash_put_laid_and_post(upwash_semaphores* semaphores, upwash_region* to, int member,
                             uint64_t offset, const void* from, const upwash_layout* laid,
                             int index, uint64_t n, upwash_request** request) {
  return guarded_by(semaphores, "upwash_put_laid_and_post", [&] {
    const read_layout runs(laid);
    const auto at = given(to, "to").memory.at(member, offset);
    const auto bytes = input(from, runs.size().local_extent, "from");
    hand_over(*semaphores->of, semaphores->set.put_and_post(at, bytes, runs.laid(), index, n),
              request);
  });
}

int upwash_semaphore_wait(upwash_semaphores* semaphores, int index, uint64_t n) {
  return guarded_by(semaphores, "upwash_semaphore_wait", [&] { semaphores->set.wait(index, n); });
}

int upwash_semaphore_try(upwash_semaphores* semaphores, int index, uint64_t n, int* taken) {
  return guarded_by(semaphores, "upwash_semaphore_try", [&] {
    given(taken, "taken") = 0;
    *taken = semaphores->set.try_wait(index, n) ? 1 : 0;
  });
}

int upwash_semaphore_value(const upwash_semaphores* semaphores, int index, uint64_t* value) {
  return guarded_by(semaphores, "upwash_semaphore_value",
                    [&] { given(value, "value") = semaphores->set.value(index); });
}

int upwash_semaphores_free(upwash_semaphores** semaphores) {
  if (semaphores == nullptr) return UPWASH_ARGUMENT;
  return guarded_by(*semaphores, "upwash_semaphores_free", [&] {
    (*semaphores)->set.release();
    delete std::exchange(*semaphores, nullptr);  // NOLINT: made by upwash_semaphores_make
  });
}

int upwash_fence_barrier(upwash_team* team, upwash_request** request) {
  return guarded_by(team, "upwash_fence_barrier", [&] {
    if (request == nullptr) {
      upwash::fence_barrier(team->members);
    } else {
      hand_over(*team->of, upwash::fence_barrier_async(team->members), request);
    }
  });
}

}  // extern "C"
