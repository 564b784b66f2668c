// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads beside the program's own.
#pragma once

#include <csignal>
#include <thread>
#include <utility>

namespace upwash::conduit::foreign {

/// Starts a thread that takes no signal: handlers report of the thread that drives the ranks.
template <class Body>
void start_without_signals(Body body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(std::move(body)).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace upwash::conduit::foreign
