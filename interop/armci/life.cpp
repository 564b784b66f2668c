// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Begin and end of ARMCI and of the job.
#include <armci.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "interop/armci/detail/guard.hpp"
#include "interop/armci/detail/mpi_beside.hpp"
#include "upwash/onesided/fence_barrier.hpp"

using namespace upwash::armci;  // NOLINT: of this file alone

namespace {

constexpr int thread_multiple = 3;  ///< MPI's level, of Open MPI and MPICH alike

int begin(const char* function) noexcept {
  try {
    session& own = session::in_job();
    if (own.begun == 0) own.begin();
    ++own.begun;
    return 0;
  } catch (...) {
    return tell(function);
  }
}

void check_level(int level) {
  if (level < 0 || level > thread_multiple) {
    throw refusal(code::kind, fmt::format("no level {} of threads", level));
  }
  if (level == thread_multiple) {
    throw refusal(code::kind,
                  "MPI_THREAD_MULTIPLE: one thread at a time drives a rank; ask for "
                  "MPI_THREAD_SERIALIZED or less");
  }
}

[[noreturn]] void end_job(int code, const std::string& why) {
  const int status = code % 256 != 0 ? code % 256 : 1;
  if (const session* own = session::current()) own->joined.abort(status, why);
  std::fflush(nullptr);
  fmt::print(stderr, "upwash: {}\n", why);
  std::_Exit(status);
}

}  // namespace

extern "C" {

int PARMCI_Init(void) { return begin("ARMCI_Init"); }

int PARMCI_Init_args(int* /*argc*/, char*** /*argv*/) { return begin("ARMCI_Init_args"); }

int PARMCI_Init_thread(int level) {
  try {
    static_cast<void>(session::in_job());
    check_level(level);
  } catch (...) {
    return tell("ARMCI_Init_thread");
  }
  return begin("ARMCI_Init_thread");
}

int PARMCI_Init_thread_comm(int level, void* world) {
  try {
    const session& own = session::in_job();
    check_level(level);
    if (const int members = mpi_beside::size_of(world); members != own.size) {
      throw refusal(code::rank, fmt::format("a communicator of {} ranks; ARMCI has all {} of the "
                                            "job, MPI_COMM_WORLD is wanted",
                                            members, own.size));
    }
  } catch (...) {
    return tell("ARMCI_Init_thread_comm");
  }
  return begin("ARMCI_Init_thread_comm");
}

int PARMCI_Initialized(void) {
  const session* own = session::current();
  return own != nullptr && own->begun > 0 ? 1 : 0;
}

// Libraries and the program may both call it: one that comes behind the last is no harm.
int PARMCI_Finalize(void) {
  if (const session* own = session::current(); own != nullptr && own->begun == 0) return 0;
  return answer("ARMCI_Finalize", [](session& own) {
    if (own.begun == 1) {
      own.open.wait_implicit(-1);
      own.open.flush(-1);
      upwash::fence_barrier(own.world);
      own.open.forget(-1);
      own.mutexes.reset();
    }
    --own.begun;
  });
}

// The job's memory has no name in the system: it goes with its last process.
void PARMCI_Cleanup(void) {}

void PARMCI_Error(const char* message, int code) {
  end_job(code, fmt::format("ARMCI_Error: {} (code {})", message != nullptr ? message : "", code));
}

void armci_msg_init(int* /*argc*/, char*** /*argv*/) {
  must_in_job("armci_msg_init", [](session& /*own*/) {});
}

void armci_msg_finalize(void) {
  must_in_job("armci_msg_finalize", [](session& own) {
    own.here.quiet(upwash::call_site{});
    upwash::fence_barrier(own.world);
  });
}

void armci_msg_abort(int code) { end_job(code, fmt::format("armci_msg_abort: code {}", code)); }

}  // extern "C"

#pragma weak ARMCI_Init = PARMCI_Init
#pragma weak ARMCI_Init_args = PARMCI_Init_args
#pragma weak ARMCI_Init_thread = PARMCI_Init_thread
#pragma weak ARMCI_Init_thread_comm = PARMCI_Init_thread_comm
#pragma weak ARMCI_Initialized = PARMCI_Initialized
#pragma weak ARMCI_Finalize = PARMCI_Finalize
#pragma weak ARMCI_Cleanup = PARMCI_Cleanup
#pragma weak ARMCI_Error = PARMCI_Error
