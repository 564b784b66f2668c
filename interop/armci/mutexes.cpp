// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// ARMCI's one set of mutexes, and those of ARMCIX.
#include <armci.h>
#include <armcix.h>

#include <memory>

#include "interop/armci/detail/guard.hpp"
#include "interop/armci/detail/mutex_set.hpp"

using namespace upwash::armci;  // NOLINT: of this file alone

struct armcix_mutex_hdl_s {
  mutex_set set;
};

namespace {

mutex_set& made(session& own) {
  if (!own.mutexes) throw refusal(code::failed, "there are no mutexes: ARMCI_Create_mutexes first");
  return *own.mutexes;
}

mutex_set& checked(armcix_mutex_hdl_t mutexes) {
  if (mutexes == nullptr) throw refusal(code::address, "the mutexes are a null pointer");
  return mutexes->set;
}

}  // namespace

extern "C" {

int PARMCI_Create_mutexes(int count) {
  return answer("ARMCI_Create_mutexes", [&](session& own) {
    if (own.mutexes) {
      throw refusal(code::failed, "there are mutexes already: ARMCI_Destroy_mutexes before");
    }
    own.mutexes = std::make_unique<mutex_set>(own.world, count);
  });
}

int PARMCI_Destroy_mutexes(void) {
  return answer("ARMCI_Destroy_mutexes", [](session& own) {
    made(own).release();
    own.mutexes.reset();
  });
}

void PARMCI_Lock(int mutex, int proc) {
  must("ARMCI_Lock", [&](session& own) { made(own).lock(mutex, proc); });
}

void PARMCI_Unlock(int mutex, int proc) {
  must("ARMCI_Unlock", [&](session& own) { made(own).unlock(mutex, proc); });
}

armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group* group) {
  return must("ARMCIX_Create_mutexes_hdl", [&](session& own) {
    return new armcix_mutex_hdl_s{mutex_set(own.groups.members(group), count)};  // NOLINT: a handle
  });
}

int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t mutexes) {
  return answer("ARMCIX_Destroy_mutexes_hdl", [&](session& /*own*/) {
    checked(mutexes).release();
    delete mutexes;  // NOLINT: made above
  });
}

void ARMCIX_Lock_hdl(armcix_mutex_hdl_t mutexes, int mutex, int proc) {
  must("ARMCIX_Lock_hdl", [&](session& /*own*/) { checked(mutexes).lock(mutex, proc); });
}

int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t mutexes, int mutex, int proc) {
  return answer("ARMCIX_Trylock_hdl",
                [&](session& /*own*/) { return checked(mutexes).try_lock(mutex, proc) ? 0 : 1; });
}

void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t mutexes, int mutex, int proc) {
  must("ARMCIX_Unlock_hdl", [&](session& /*own*/) { checked(mutexes).unlock(mutex, proc); });
}

}  // extern "C"

#pragma weak ARMCI_Create_mutexes = PARMCI_Create_mutexes
#pragma weak ARMCI_Destroy_mutexes = PARMCI_Destroy_mutexes
#pragma weak ARMCI_Lock = PARMCI_Lock
#pragma weak ARMCI_Unlock = PARMCI_Unlock
