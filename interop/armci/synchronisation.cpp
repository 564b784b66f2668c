// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Order: fences, the barrier, notices; and operations on words.
#include <armci.h>
#include <armcix.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdint>

#include "interop/armci/detail/guard.hpp"
#include "interop/armci/detail/remote_operation.hpp"
#include "upwash/core/atomic.hpp"
#include "upwash/onesided/fence.hpp"
#include "upwash/onesided/fence_barrier.hpp"

using namespace upwash::armci;  // NOLINT: of this file alone

namespace {

template <class T>
T changed(session& own, int operation, int proc, void* remote, T operand) {
  const bool adds = operation == ARMCI_FETCH_AND_ADD || operation == ARMCI_FETCH_AND_ADD_LONG;
  const auto place = own.place(proc, remote);
  if (!place && proc == own.rank) {
    if (reinterpret_cast<std::uintptr_t>(remote) % sizeof(T) != 0) {
      throw refusal(code::address,
                    fmt::format("address {} is not aligned to {} bytes", remote, sizeof(T)));
    }
    const std::atomic_ref<T> word(*static_cast<T*>(remote));
    return adds ? word.fetch_add(operand) : word.exchange(operand);
  }
  const auto word = required_place(own, proc, remote).as<T>();
  if (word.offset() % sizeof(T) != 0) {
    throw refusal(code::address,
                  fmt::format("address {} is not aligned to {} bytes", remote, sizeof(T)));
  }
  return adds ? upwash::fetch_add(own.here, word, operand) : upwash::swap(own.here, word, operand);
}

template <class T>
void change(session& own, int operation, void* local, void* remote, int value, int proc) {
  T& mine = *static_cast<T*>(local);
  const bool adds = operation == ARMCI_FETCH_AND_ADD || operation == ARMCI_FETCH_AND_ADD_LONG;
  mine = changed<T>(own, operation, proc, remote, adds ? static_cast<T>(value) : mine);
}

}  // namespace

extern "C" {

void PARMCI_Fence(int proc) {
  must("ARMCI_Fence", [&](session& own) {
    check_proc(own, proc);
    own.open.flush(proc);
    upwash::fence(own.here, proc);
    own.open.forget(proc);
  });
}

void PARMCI_AllFence(void) {
  must("ARMCI_AllFence", [](session& own) {
    own.open.flush(-1);
    upwash::fence_all(own.here);
    own.open.forget(-1);
  });
}

void PARMCI_Barrier(void) {
  must("ARMCI_Barrier", [](session& own) {
    own.open.flush(-1);
    upwash::fence_barrier(own.world);
    own.open.forget(-1);
  });
}

int parmci_notify(int proc) {
  return answer("armci_notify", [&](session& own) {
    check_proc(own, proc);
    own.open.flush(proc);
    upwash::fence(own.here, proc);
    own.notices.notify(proc).wait();
    return ++own.counts[static_cast<std::size_t>(proc)].sent;
  });
}

int parmci_notify_wait(int proc, int* waited) {
  return answer("armci_notify_wait", [&](session& own) {
    check_proc(own, proc);
    own.notices.wait_for(proc);
    const int count = ++own.counts[static_cast<std::size_t>(proc)].waited;
    if (waited != nullptr) *waited = count;
    return count;
  });
}

int PARMCI_Rmw(int operation, void* local, void* remote, int value, int proc) {
  return answer("ARMCI_Rmw", [&](session& own) {
    check_proc(own, proc);
    if (local == nullptr) throw refusal(code::address, "the local word is a null pointer");
    if (remote == nullptr) throw refusal(code::address, "the remote word is a null pointer");
    switch (operation) {
      case ARMCI_FETCH_AND_ADD:
      case ARMCI_SWAP: return change<int>(own, operation, local, remote, value, proc);
      case ARMCI_FETCH_AND_ADD_LONG:
      case ARMCI_SWAP_LONG: return change<long>(own, operation, local, remote, value, proc);
      default: throw refusal(code::kind, fmt::format("no operation {}", operation));
    }
  });
}

void ARMCIX_Progress(void) {
  must("ARMCIX_Progress", [](session& own) { own.here.progress(); });
}

}  // extern "C"

#pragma weak ARMCI_Fence = PARMCI_Fence
#pragma weak ARMCI_AllFence = PARMCI_AllFence
#pragma weak ARMCI_Barrier = PARMCI_Barrier
#pragma weak armci_notify = parmci_notify
#pragma weak armci_notify_wait = parmci_notify_wait
#pragma weak ARMCI_Rmw = PARMCI_Rmw
