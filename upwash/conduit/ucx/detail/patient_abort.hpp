// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// UCX may end a process by an assertion of its own when another one has been killed that it was
// connecting to. Who starts the job would then find two that died, and tell of the wrong one.
#pragma once

#include <csignal>
#include <ctime>

namespace upwash::conduit::ucx {

/// From now on a process that aborts has a second before it dies, in which the job is ended on
/// account of the one that died first. Leaves a handler alone that the program has installed.
inline void be_patient_in_abort() noexcept {
  struct sigaction now {};
  sigaction(SIGABRT, nullptr, &now);
  if (now.sa_handler != SIG_DFL) return;
  now.sa_handler = [](int signal) {
    const timespec second{1, 0};
    nanosleep(&second, nullptr);
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // it is held back until this handler has returned
  };
  sigaction(SIGABRT, &now, nullptr);
}

}  // namespace upwash::conduit::ucx
