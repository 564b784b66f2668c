// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// UCX takes the signals of faults, and the stack for them, when it is loaded, before anybody can
// ask it not to. They are the program's, and its launcher's: whoever wants UCX's back traces sets
// UCX_HANDLE_ERRORS.
#pragma once

#include <csignal>
#include <cstdlib>

namespace upwash::conduit::ucx {

/// Gives back what was in force when it was made.
class kept_handlers {
 public:
  kept_handlers() {
    for (one& each : kept_) sigaction(each.signal, nullptr, &each.action);
    sigaltstack(nullptr, &stack_);
  }
  ~kept_handlers() {
    if (std::getenv("UCX_HANDLE_ERRORS") != nullptr) return;
    for (const one& each : kept_) sigaction(each.signal, &each.action, nullptr);
    sigaltstack(&stack_, nullptr);
  }
  kept_handlers(const kept_handlers&) = delete;
  kept_handlers& operator=(const kept_handlers&) = delete;

 private:
  struct one {
    int signal;
    struct sigaction action {};
  };
  one kept_[5] = {{SIGILL}, {SIGSEGV}, {SIGBUS}, {SIGFPE}, {SIGHUP}};
  stack_t stack_{};
};

}  // namespace upwash::conduit::ucx
