// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Begin and end of MPI, and of communicators.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/session.hpp"
#include "interop/mpi/detail/teams.hpp"

using namespace upwash::mpi;  // NOLINT: of this file alone

namespace {

/// What the knob report says; empty: no report.
std::string& report_of_process() {
  static std::string where;
  return where;
}

/// Whether the program is linked with the library that this one was built for.
bool fits() {
#ifdef OPEN_MPI
  return dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != nullptr;
#else
  return dlsym(RTLD_DEFAULT, "MPIR_Err_create_code") != nullptr;
#endif
}

[[noreturn]] void refuse(std::string_view why) {
  std::fflush(nullptr);
  say(why);
  let_launcher_read();
  std::_Exit(2);
}

/// Handles of one library mean nothing to the other.
void check_library() {
  if (fits()) return;
  if (dlopen(library_file, RTLD_LAZY | RTLD_NOLOAD) != nullptr) {
    refuse(
        "the program has opened its MPI where the preload library does not find it; start it by "
        "upwash mpi --opened -- ...");
  }
  refuse(
      fmt::format("the preload library for {} is loaded, but the program is linked with another "
                  "MPI; start it by the launcher of its own: upwash mpi -- {} ...",
                  library_title, other_launcher));
}

void begin(int code, int level) {
  if (code == MPI_SUCCESS) report_of_process() = session::begin(level);
}

/// Frees what upwash has of `*comm` if the library's function `theirs` succeeds. `waits`: for all
/// operations that are under way on it.
template <class Free>
int free_communicator(function which, MPI_Comm* comm, bool waits, const Free& theirs) {
  passed(which);
  session* own = session::current();
  if (own == nullptr || comm == nullptr) return theirs();
  const MPI_Comm handle = *comm;
  membership* of = nullptr;
  try {
    const session::inside here(*own);
    of = own->communicators.take(handle);
    if (of != nullptr && waits) {
      own->open.finish(own->here(), of);
      own->messages.finish(*of);
    }
    if (of != nullptr && !waits) own->communicators.hold_for_library(handle, *of);
  } catch (...) {
    own->fail(which);
  }
  const int code = theirs();
  try {
    const session::inside here(*own);
    if (code != MPI_SUCCESS) {
      own->communicators.put_back(handle, of);
      return code;
    }
    own->communicators.free(of);
    own->communicators.freed().go_on();
  } catch (...) {
    own->fail(which);
  }
  return code;
}

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  passed(function::of_MPI_Init);
  check_library();
  const int code = PMPI_Init(argc, argv);
  begin(code, MPI_THREAD_SINGLE);
  return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  passed(function::of_MPI_Init_thread);
  check_library();
  int level = MPI_THREAD_SINGLE;
  const int code = PMPI_Init_thread(argc, argv, required, &level);
  if (provided != nullptr) *provided = level;
  begin(code, level);
  return code;
}

int MPI_Finalize(void) {
  passed(function::of_MPI_Finalize);
  const session* own = session::current();
  if (!report_of_process().empty()) {
    write_report(report_of_process(), own != nullptr ? own->measured.get() : nullptr);
  }
  return PMPI_Finalize();  // it ends the session (session::begin)
}

int MPI_Comm_free(MPI_Comm* comm) {
  return free_communicator(function::of_MPI_Comm_free, comm, false,
                           [&] { return PMPI_Comm_free(comm); });
}

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  passed(function::of_MPI_Comm_set_info);
  const int code = PMPI_Comm_set_info(comm, info);
  if (code == MPI_SUCCESS) take_hints(function::of_MPI_Comm_set_info, comm, info);
  return code;
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
  return free_communicator(function::of_MPI_Comm_disconnect, comm, true,
                           [&] { return PMPI_Comm_disconnect(comm); });
}

}  // extern "C"
