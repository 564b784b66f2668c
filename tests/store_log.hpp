// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records the stores of this process to some pages. The pages are write-protected: a store raises
// SIGSEGV, whose handler records the address, opens the pages and lets the processor do one
// instruction, after which SIGTRAP protects the pages again. x86-64 only, one thread only.
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/sanitized.hpp"

namespace upwash::test {

#if defined(__x86_64__)
inline constexpr bool stores_can_be_recorded = !sanitized;

class store_log {
 public:
  static constexpr std::size_t page_bytes = 4096;

  /// Begins to record. `pages`: whole pages of memory that this process may write.
  explicit store_log(std::span<std::byte> pages) : pages_(pages) {
    active() = this;
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    action.sa_sigaction = &store_log::stored;
    sigaction(SIGSEGV, &action, &before_fault_);
    action.sa_sigaction = &store_log::stepped;
    sigaction(SIGTRAP, &action, &before_trap_);
    mprotect(pages_.data(), pages_.size(), PROT_READ);
  }
  ~store_log() { stop(); }
  store_log(const store_log&) = delete;
  store_log& operator=(const store_log&) = delete;

  /// Ends the recording; returns the offset of each store in the pages, in order.
  std::vector<std::size_t> stop() {
    if (active() == this) {
      mprotect(pages_.data(), pages_.size(), PROT_READ | PROT_WRITE);
      sigaction(SIGSEGV, &before_fault_, nullptr);
      sigaction(SIGTRAP, &before_trap_, nullptr);
      active() = nullptr;
    }
    return {offsets_.begin(), offsets_.begin() + std::min(count_, offsets_.size())};
  }

 private:
  static constexpr greg_t trap_flag = 0x100;

  /// A signal handler has no argument of its own.
  static store_log*& active() {
    static store_log* log = nullptr;
    return log;
  }
  static void stored(int /*signal*/, siginfo_t* info, void* context) {
    store_log& log = *active();
    const auto* at = static_cast<const std::byte*>(info->si_addr);
    if (at < log.pages_.data() || at >= log.pages_.data() + log.pages_.size()) {
      sigaction(SIGSEGV, &log.before_fault_, nullptr);  // another fault: it comes again
      return;
    }
    if (log.count_ < log.offsets_.size()) {
      log.offsets_[log.count_] = static_cast<std::size_t>(at - log.pages_.data());
    }
    ++log.count_;
    mprotect(log.pages_.data(), log.pages_.size(), PROT_READ | PROT_WRITE);
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] |= trap_flag;
  }
  static void stepped(int /*signal*/, siginfo_t* /*info*/, void* context) {
    const store_log& log = *active();
    mprotect(log.pages_.data(), log.pages_.size(), PROT_READ);
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~trap_flag;
  }

  std::span<std::byte> pages_;
  std::array<std::size_t, 4096> offsets_{};
  std::size_t count_ = 0;
  struct sigaction before_fault_ {};
  struct sigaction before_trap_ {};
};

#else
inline constexpr bool stores_can_be_recorded = false;

class store_log {
 public:
  static constexpr std::size_t page_bytes = 4096;
  explicit store_log(std::span<std::byte> /*pages*/) {}
  std::vector<std::size_t> stop() { return {}; }
};
#endif

}  // namespace upwash::test
