// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers that are complete when they return, flags and values.
#include <armci.h>

#include <cstring>
#include <span>

#include "interop/armci/detail/guard.hpp"
#include "interop/armci/detail/remote_operation.hpp"
#include "upwash/core/memory_access.hpp"

using namespace upwash::armci;  // NOLINT: of this file alone

namespace {

/// The bytes of a value at a rank. Without a code there is no way to go on after bad input.
template <class T>
T value_at(const char* function, void* source, int proc) {
  return must(function, [&](session& own) {
    T value{};
    run_contiguous(own, {.how = direction::get, .proc = proc}, source, &value, sizeof value);
    return value;
  });
}

/// Calls `one` with each run of strided memory, in order.
template <class One>
void each_run(void* memory, const upwash::strided& laid, const One& one) {
  upwash::run_walker walker(laid);
  auto* from = static_cast<std::byte*>(memory);
  for (upwash::run_row row; walker.next(row);) {
    for (std::uint64_t i = 0; i < row.count; ++i) {
      one(from + row.local + i * row.local_stride, row.bytes);
    }
  }
}

template <class T>
int put_value(const char* function, T value, void* destination, int proc) {
  return answer(function, [&](session& own) { store_value(own, proc, destination, value); });
}

}  // namespace

extern "C" {

int PARMCI_Put(void* source, void* destination, int bytes, int proc) {
  return answer("ARMCI_Put", [&](session& own) {
    run_contiguous(own, {.how = direction::put, .proc = proc}, source, destination, bytes);
  });
}

int PARMCI_Get(void* source, void* destination, int bytes, int proc) {
  return answer("ARMCI_Get", [&](session& own) {
    run_contiguous(own, {.how = direction::get, .proc = proc}, source, destination, bytes);
  });
}

int PARMCI_Acc(int type, void* scale, void* source, void* destination, int bytes, int proc) {
  return answer("ARMCI_Acc", [&](session& own) {
    run_contiguous(own, {.how = direction::add, .proc = proc, .type = type, .scale = scale}, source,
                   destination, bytes);
  });
}

int PARMCI_PutS(void* source, int source_strides[], void* destination, int destination_strides[],
                int counts[], int levels, int proc) {
  return answer("ARMCI_PutS", [&](session& own) {
    run_strided(own, {.how = direction::put, .proc = proc},
                {source, source_strides, destination, destination_strides, counts, levels});
  });
}

int PARMCI_GetS(void* source, int source_strides[], void* destination, int destination_strides[],
                int counts[], int levels, int proc) {
  return answer("ARMCI_GetS", [&](session& own) {
    run_strided(own, {.how = direction::get, .proc = proc},
                {source, source_strides, destination, destination_strides, counts, levels});
  });
}

int PARMCI_AccS(int type, void* scale, void* source, int source_strides[], void* destination,
                int destination_strides[], int counts[], int levels, int proc) {
  return answer("ARMCI_AccS", [&](session& own) {
    run_strided(own, {.how = direction::add, .proc = proc, .type = type, .scale = scale},
                {source, source_strides, destination, destination_strides, counts, levels});
  });
}

int PARMCI_PutV(armci_giov_t* list, int length, int proc) {
  return answer("ARMCI_PutV", [&](session& own) {
    run_vector(own, {.how = direction::put, .proc = proc}, list, length);
  });
}

int PARMCI_GetV(armci_giov_t* list, int length, int proc) {
  return answer("ARMCI_GetV", [&](session& own) {
    run_vector(own, {.how = direction::get, .proc = proc}, list, length);
  });
}

int PARMCI_AccV(int type, void* scale, armci_giov_t* list, int length, int proc) {
  return answer("ARMCI_AccV", [&](session& own) {
    run_vector(own, {.how = direction::add, .proc = proc, .type = type, .scale = scale}, list,
               length);
  });
}

int PARMCI_Put_flag(void* source, void* destination, int bytes, int* flag, int value, int proc) {
  return answer("ARMCI_Put_flag", [&](session& own) {
    check_proc(own, proc);
    if (proc != own.rank) static_cast<void>(required_place(own, proc, flag));
    run_contiguous(own, {.how = direction::put, .proc = proc}, source, destination, bytes);
    store_value(own, proc, flag, value);
  });
}

int PARMCI_PutS_flag(void* source, int source_strides[], void* destination,
                     int destination_strides[], int counts[], int levels, int* flag, int value,
                     int proc) {
  return answer("ARMCI_PutS_flag", [&](session& own) {
    check_proc(own, proc);
    if (proc != own.rank) static_cast<void>(required_place(own, proc, flag));
    run_strided(own, {.how = direction::put, .proc = proc},
                {source, source_strides, destination, destination_strides, counts, levels});
    store_value(own, proc, flag, value);
  });
}

int PARMCI_PutValueInt(int value, void* destination, int proc) {
  return put_value("ARMCI_PutValueInt", value, destination, proc);
}
int PARMCI_PutValueLong(long value, void* destination, int proc) {
  return put_value("ARMCI_PutValueLong", value, destination, proc);
}
int PARMCI_PutValueFloat(float value, void* destination, int proc) {
  return put_value("ARMCI_PutValueFloat", value, destination, proc);
}
int PARMCI_PutValueDouble(double value, void* destination, int proc) {
  return put_value("ARMCI_PutValueDouble", value, destination, proc);
}
int PARMCI_GetValueInt(void* source, int proc) {
  return value_at<int>("ARMCI_GetValueInt", source, proc);
}
long PARMCI_GetValueLong(void* source, int proc) {
  return value_at<long>("ARMCI_GetValueLong", source, proc);
}
float PARMCI_GetValueFloat(void* source, int proc) {
  return value_at<float>("ARMCI_GetValueFloat", source, proc);
}
double PARMCI_GetValueDouble(void* source, int proc) {
  return value_at<double>("ARMCI_GetValueDouble", source, proc);
}

void armci_write_strided(void* memory, int levels, int strides[], int counts[], char* buffer) {
  must_in_job("armci_write_strided", [&](session& /*own*/) {
    each_run(memory, layout_of(strides, strides, counts, levels),
             [&](std::byte* run, std::uint64_t bytes) {
               std::memcpy(buffer, run, bytes);
               buffer += bytes;
             });
  });
}

void armci_read_strided(void* memory, int levels, int strides[], int counts[], char* buffer) {
  must_in_job("armci_read_strided", [&](session& /*own*/) {
    each_run(memory, layout_of(strides, strides, counts, levels),
             [&](std::byte* run, std::uint64_t bytes) {
               std::memcpy(run, buffer, bytes);
               buffer += bytes;
             });
  });
}

}  // extern "C"

#pragma weak ARMCI_Put = PARMCI_Put
#pragma weak ARMCI_Get = PARMCI_Get
#pragma weak ARMCI_Acc = PARMCI_Acc
#pragma weak ARMCI_PutS = PARMCI_PutS
#pragma weak ARMCI_GetS = PARMCI_GetS
#pragma weak ARMCI_AccS = PARMCI_AccS
#pragma weak ARMCI_PutV = PARMCI_PutV
#pragma weak ARMCI_GetV = PARMCI_GetV
#pragma weak ARMCI_AccV = PARMCI_AccV
#pragma weak ARMCI_Put_flag = PARMCI_Put_flag
#pragma weak ARMCI_PutS_flag = PARMCI_PutS_flag
#pragma weak ARMCI_PutValueInt = PARMCI_PutValueInt
#pragma weak ARMCI_PutValueLong = PARMCI_PutValueLong
#pragma weak ARMCI_PutValueFloat = PARMCI_PutValueFloat
#pragma weak ARMCI_PutValueDouble = PARMCI_PutValueDouble
#pragma weak ARMCI_GetValueInt = PARMCI_GetValueInt
#pragma weak ARMCI_GetValueLong = PARMCI_GetValueLong
#pragma weak ARMCI_GetValueFloat = PARMCI_GetValueFloat
#pragma weak ARMCI_GetValueDouble = PARMCI_GetValueDouble
