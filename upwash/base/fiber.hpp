// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fibers: stacks switched by hand. The only user of Boost.Context. A scheduler resumes fibers from
// its own stack; a fiber suspends back to whoever resumed it. Simulated ranks, several ranks in a
// process and objects share this. No thread safety: one thread drives.
#pragma once

#include <cerrno>
#include <cstddef>
#include <memory>

#include "upwash/base/function_ref.hpp"

namespace upwash {

/// Memory for the stacks of many fibers. With guard pages up to `guarded_limit` stacks; above
/// it (the kernel's limit on mappings) one slab with canaries that are checked at each suspend.
/// Memory: `stack_bytes` of address space a fiber, committed as it is touched.
class fiber_stacks {
 public:
  static constexpr std::size_t guarded_limit = 16'000;

  fiber_stacks(std::size_t count, std::size_t stack_bytes);
  ~fiber_stacks();
  fiber_stacks(const fiber_stacks&) = delete;
  fiber_stacks& operator=(const fiber_stacks&) = delete;

 private:
  friend class fiber;
  struct state;
  std::unique_ptr<state> state_;
};

namespace detail {

/// The result of a switch: where the other stack goes on, and the value that it handed over.
struct fiber_transfer {
  void* from;
  void* data;
};
/// The address of Boost.Context's switch. A pointer, because the symbol's name depends on the
/// version of Boost. Only for code that is linked into the same program or library as this.
[[gnu::visibility("hidden")]] extern void* const boost_jump;

/// The switch jumped to, not called: no return follows the call, so it would shift the processor's
/// predictions of all returns on the stack that goes on. Now they are those of the stack before,
/// which mostly waits in the same functions. Where the processor checks returns against a shadow
/// stack, it is called: an address pushed by hand is not on that stack.
[[gnu::always_inline]] inline fiber_transfer jump(void* to, void* data) {
#if defined(__x86_64__) && !(defined(__CET__) && (__CET__ & 2))
  fiber_transfer came;
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"  // over the red zone
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "jmp *%[boost_jump]\n"
      "1:\n\t"
      "leaq 128(%%rsp), %%rsp"
      : "=&a"(came.from), "=d"(came.data), "+D"(to), "+S"(data)
      : [boost_jump] "m"(boost_jump)
      : "rcx", "r8", "r9", "r10", "r11", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
        "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#if defined(__AVX512F__)
        ,
        "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
        "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6",
        "k7"
#endif
  );
  return came;
#else
  return reinterpret_cast<fiber_transfer (*)(void*, void*)>(boost_jump)(to, data);
#endif
}

/// The per-thread state of the C++ runtime that a catch block depends on (Itanium ABI, 2.2.2).
struct exception_globals {
  void* caught = nullptr;
  unsigned int uncaught = 0;

  [[nodiscard]] bool any() const noexcept { return caught != nullptr || uncaught != 0; }
};
extern "C" [[gnu::const]] exception_globals* upwash_exception_globals() noexcept
    __asm__("__cxa_get_globals");

}  // namespace detail

/// One stack with a function on it. At each switch the exception globals and errno are kept
/// with the fiber, so two fibers may wait inside catch blocks; sanitizers are told. A fiber may
/// resume another, which may suspend the first: the next resume goes on in the other.
class fiber {
 public:
  /// `entry(argument)` runs at the first `resume`. It must not let an exception escape.
  fiber(fiber_stacks& stacks, std::size_t index, void (*entry)(void*), void* argument);
  /// The fiber has finished or was never resumed; otherwise what its stack holds is dropped
  /// without running destructors.
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  void resume();   ///< From a scheduler: runs until suspend or the end.
  void suspend();  ///< From inside this fiber: back to the resumer.
  [[nodiscard]] bool finished() const noexcept { return done_; }

 private:
  struct state;

  void entering();  ///< these four tell the sanitizers which stack runs
  void left();
  void leaving();
  void entered();
  void check_overflow() const;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr bool noted = true;
#elif defined(__has_feature)  // Clang's way to say it
  static constexpr bool noted = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
  static constexpr bool noted = false;
#endif

  void* own_ = nullptr;      ///< where the fiber goes on
  void* resumer_ = nullptr;  ///< where its resumer goes on
  detail::exception_globals exceptions_;
  int error_number_ = 0;
  bool done_ = false;
  bool guarded_ = true;
  std::unique_ptr<state> state_;
};

// Inline, because the processor predicts the return from a function that has changed stacks wrong:
// 13 ns a switch out of line, 6 so.
[[gnu::always_inline]] inline void fiber::resume() {
  detail::exception_globals* exceptions = detail::upwash_exception_globals();
  int* error_number = &errno;
  const detail::exception_globals resumer_exceptions{exceptions->caught, exceptions->uncaught};
  const int resumer_error = *error_number;
  // Rarely does anybody wait inside a catch block.
  if (resumer_exceptions.any() || exceptions_.any()) [[unlikely]] {
    *exceptions = exceptions_;
  }
  *error_number = error_number_;
  if constexpr (noted) entering();
  own_ = detail::jump(own_, this).from;
  if constexpr (noted) left();
  if (resumer_exceptions.any() || exceptions_.any() || exceptions->any()) [[unlikely]] {
    exceptions_ = *exceptions;
    *exceptions = resumer_exceptions;
  }
  error_number_ = *error_number;
  *error_number = resumer_error;
}

[[gnu::always_inline]] inline void fiber::suspend() {
  if (!guarded_) check_overflow();
  if constexpr (noted) leaving();
  resumer_ = detail::jump(resumer_, nullptr).from;
  if constexpr (noted) entered();
}

}  // namespace upwash
