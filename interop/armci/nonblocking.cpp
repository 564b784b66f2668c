// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nonblocking transfers, and waiting for them.
#include <armci.h>

#include "interop/armci/detail/guard.hpp"
#include "interop/armci/detail/remote_operation.hpp"

using namespace upwash::armci;  // NOLINT: of this file alone

namespace {

remote_operation begun(direction how, int proc, armci_hdl_t* handle) {
  return {.how = how, .proc = proc, .blocking = false, .handle = handle};
}

remote_operation begun_sum(int type, const void* scale, int proc, armci_hdl_t* handle) {
  return {.how = direction::add,
          .proc = proc,
          .type = type,
          .scale = scale,
          .blocking = false,
          .handle = handle};
}

armci_hdl_t& checked(armci_hdl_t* handle) {
  if (handle == nullptr) throw refusal(code::address, "the handle is a null pointer");
  return *handle;
}

/// A value is on the caller's stack: it is at its place when the call returns.
template <class T>
int put_value(const char* function, T value, void* destination, int proc) {
  return answer(function, [&](session& own) { store_value(own, proc, destination, value); });
}

}  // namespace

extern "C" {

void PARMCI_INIT_HANDLE(armci_hdl_t* handle) {
  must("ARMCI_INIT_HANDLE",
       [&](session& /*own*/) { open_operations::initialise(checked(handle)); });
}

void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
  must("ARMCI_SET_AGGREGATE_HANDLE",
       [&](session& /*own*/) { open_operations::set_aggregate(checked(handle), true); });
}

void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
  must("ARMCI_UNSET_AGGREGATE_HANDLE", [&](session& own) {
    own.open.flush(-1);
    open_operations::set_aggregate(checked(handle), false);
  });
}

int PARMCI_NbPut(void* source, void* destination, int bytes, int proc, armci_hdl_t* handle) {
  return answer("ARMCI_NbPut", [&](session& own) {
    run_contiguous(own, begun(direction::put, proc, handle), source, destination, bytes);
  });
}

int PARMCI_NbGet(void* source, void* destination, int bytes, int proc, armci_hdl_t* handle) {
  return answer("ARMCI_NbGet", [&](session& own) {
    run_contiguous(own, begun(direction::get, proc, handle), source, destination, bytes);
  });
}

int PARMCI_NbAcc(int type, void* scale, void* source, void* destination, int bytes, int proc,
                 armci_hdl_t* handle) {
  return answer("ARMCI_NbAcc", [&](session& own) {
    run_contiguous(own, begun_sum(type, scale, proc, handle), source, destination, bytes);
  });
}

int PARMCI_NbPutS(void* source, int source_strides[], void* destination, int destination_strides[],
                  int counts[], int levels, int proc, armci_hdl_t* handle) {
  return answer("ARMCI_NbPutS", [&](session& own) {
    run_strided(own, begun(direction::put, proc, handle),
                {source, source_strides, destination, destination_strides, counts, levels});
  });
}

int PARMCI_NbGetS(void* source, int source_strides[], void* destination, int destination_strides[],
                  int counts[], int levels, int proc, armci_hdl_t* handle) {
  return answer("ARMCI_NbGetS", [&](session& own) {
    run_strided(own, begun(direction::get, proc, handle),
                {source, source_strides, destination, destination_strides, counts, levels});
  });
}

int PARMCI_NbAccS(int type, void* scale, void* source, int source_strides[], void* destination,
                  int destination_strides[], int counts[], int levels, int proc,
                  armci_hdl_t* handle) {
  return answer("ARMCI_NbAccS", [&](session& own) {
    run_strided(own, begun_sum(type, scale, proc, handle),
                {source, source_strides, destination, destination_strides, counts, levels});
  });
}

int PARMCI_NbPutV(armci_giov_t* list, int length, int proc, armci_hdl_t* handle) {
  return answer("ARMCI_NbPutV", [&](session& own) {
    run_vector(own, begun(direction::put, proc, handle), list, length);
  });
}

int PARMCI_NbGetV(armci_giov_t* list, int length, int proc, armci_hdl_t* handle) {
  return answer("ARMCI_NbGetV", [&](session& own) {
    run_vector(own, begun(direction::get, proc, handle), list, length);
  });
}

int PARMCI_NbAccV(int type, void* scale, armci_giov_t* list, int length, int proc,
                  armci_hdl_t* handle) {
  return answer("ARMCI_NbAccV", [&](session& own) {
    run_vector(own, begun_sum(type, scale, proc, handle), list, length);
  });
}

int PARMCI_NbPutValueInt(int value, void* destination, int proc, armci_hdl_t* /*handle*/) {
  return put_value("ARMCI_NbPutValueInt", value, destination, proc);
}
int PARMCI_NbPutValueLong(long value, void* destination, int proc, armci_hdl_t* /*handle*/) {
  return put_value("ARMCI_NbPutValueLong", value, destination, proc);
}
int PARMCI_NbPutValueFloat(float value, void* destination, int proc, armci_hdl_t* /*handle*/) {
  return put_value("ARMCI_NbPutValueFloat", value, destination, proc);
}
int PARMCI_NbPutValueDouble(double value, void* destination, int proc, armci_hdl_t* /*handle*/) {
  return put_value("ARMCI_NbPutValueDouble", value, destination, proc);
}

int PARMCI_Wait(armci_hdl_t* handle) {
  return answer("ARMCI_Wait", [&](session& own) { own.open.wait(checked(handle)); });
}

int PARMCI_Test(armci_hdl_t* handle) {
  return answer("ARMCI_Test", [&](session& own) { return own.open.test(checked(handle)) ? 0 : 1; });
}

int PARMCI_WaitProc(int proc) {
  return answer("ARMCI_WaitProc", [&](session& own) {
    check_proc(own, proc);
    own.open.wait_implicit(proc);
  });
}

int PARMCI_WaitAll(void) {
  return answer("ARMCI_WaitAll", [&](session& own) { own.open.wait_implicit(-1); });
}

}  // extern "C"

#pragma weak ARMCI_INIT_HANDLE = PARMCI_INIT_HANDLE
#pragma weak ARMCI_SET_AGGREGATE_HANDLE = PARMCI_SET_AGGREGATE_HANDLE
#pragma weak ARMCI_UNSET_AGGREGATE_HANDLE = PARMCI_UNSET_AGGREGATE_HANDLE
#pragma weak ARMCI_NbPut = PARMCI_NbPut
#pragma weak ARMCI_NbGet = PARMCI_NbGet
#pragma weak ARMCI_NbAcc = PARMCI_NbAcc
#pragma weak ARMCI_NbPutS = PARMCI_NbPutS
#pragma weak ARMCI_NbGetS = PARMCI_NbGetS
#pragma weak ARMCI_NbAccS = PARMCI_NbAccS
#pragma weak ARMCI_NbPutV = PARMCI_NbPutV
#pragma weak ARMCI_NbGetV = PARMCI_NbGetV
#pragma weak ARMCI_NbAccV = PARMCI_NbAccV
#pragma weak ARMCI_NbPutValueInt = PARMCI_NbPutValueInt
#pragma weak ARMCI_NbPutValueLong = PARMCI_NbPutValueLong
#pragma weak ARMCI_NbPutValueFloat = PARMCI_NbPutValueFloat
#pragma weak ARMCI_NbPutValueDouble = PARMCI_NbPutValueDouble
#pragma weak ARMCI_Wait = PARMCI_Wait
#pragma weak ARMCI_Test = PARMCI_Test
#pragma weak ARMCI_WaitProc = PARMCI_WaitProc
#pragma weak ARMCI_WaitAll = PARMCI_WaitAll
