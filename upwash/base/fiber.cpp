// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a fiber does besides switching: its stack, its beginning and end, the sanitizers' idea of
// the stack.
#include "upwash/base/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/context/detail/fcontext.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "upwash/base/error.hpp"
#include "upwash/base/process.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace upwash {
namespace context = boost::context::detail;

namespace detail {
static_assert(sizeof(fiber_transfer) == sizeof(context::transfer_t));
void* const boost_jump = reinterpret_cast<void*>(&context::jump_fcontext);
}  // namespace detail

namespace {

constexpr std::size_t canary_bytes = 64;
constexpr std::size_t cache_line = 64;
constexpr std::uint64_t canary_word = 0x7570776173682121U;

/// Tells the sanitizers which stack runs; empty without them.
struct stack_notes {
#if defined(__SANITIZE_ADDRESS__)
  void* fiber_fake = nullptr;
  void* resumer_fake = nullptr;
  const void* resumer_bottom = nullptr;
  std::size_t resumer_bytes = 0;
  // A fiber that this one resumed may have suspended this one: that stack goes on then.
  const void* left_bottom = nullptr;
  std::size_t left_bytes = 0;

  void created(void* bottom, std::size_t bytes) {
    __asan_unpoison_memory_region(bottom, bytes);
    left_bottom = bottom;
    left_bytes = bytes;
  }
  /// Frames left the stack poisoned; its memory may be mapped again for something else.
  void destroyed(void* bottom, std::size_t bytes) { __asan_unpoison_memory_region(bottom, bytes); }
  void entering() { __sanitizer_start_switch_fiber(&resumer_fake, left_bottom, left_bytes); }
  void entered() { __sanitizer_finish_switch_fiber(fiber_fake, &resumer_bottom, &resumer_bytes); }
  void leaving(bool for_good) {
    __sanitizer_start_switch_fiber(for_good ? nullptr : &fiber_fake, resumer_bottom, resumer_bytes);
  }
  void left() { __sanitizer_finish_switch_fiber(resumer_fake, &left_bottom, &left_bytes); }
#elif defined(__SANITIZE_THREAD__)
  void* own = nullptr;
  void* left_on = nullptr;  ///< own, or that of a fiber that this one resumed
  void* resumer = nullptr;

  void created(void*, std::size_t) { left_on = own = __tsan_create_fiber(0); }
  void destroyed(void*, std::size_t) { __tsan_destroy_fiber(own); }
  [[gnu::no_sanitize_thread]] void entering() {
    resumer = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(left_on, 0);
  }
  void entered() {}
  [[gnu::no_sanitize_thread]] void leaving(bool) {
    left_on = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(resumer, 0);
  }
  void left() {}
#else
  void created(void*, std::size_t) {}
  void destroyed(void*, std::size_t) {}
  void entering() {}
  void entered() {}
  void leaving(bool) {}
  void left() {}
#endif
};

/// A function's frame may be larger than a page and step over a small guard into the next stack: as
/// the kernel does below the first one of a process, up to a mebibyte, where address space is
/// plenty.
std::size_t guard_for(std::size_t stack_bytes, std::size_t page) {
  constexpr std::size_t most = std::size_t{1} << 20U;
  return std::clamp(stack_bytes / 8 / page * page, page, most);
}

}  // namespace

/// Guarded: [guard pages | stack] for each. Slab: stacks end to end, boundaries shifted by a page
/// less the canary, so a stack's canary shares the page that the top of the stack below uses
/// anyway and costs no page of its own.
struct fiber_stacks::state {
  std::byte* base = nullptr;
  std::size_t mapped = 0;
  std::size_t count = 0;
  std::size_t stride = 0;
  std::size_t page = 4096;
  std::size_t guard = 0;  ///< bytes below each stack that nobody may touch; 0: a slab
  process::guarded_stacks* noted = nullptr;

  [[nodiscard]] std::byte* bottom(std::size_t index) const {
    const std::size_t lead = guarded() ? guard : page - canary_bytes;
    return base + index * stride + lead;
  }
  [[nodiscard]] std::size_t usable() const { return stride - guard; }
  [[nodiscard]] bool guarded() const { return guard != 0; }
};

fiber_stacks::fiber_stacks(std::size_t count, std::size_t stack_bytes)
    : state_(std::make_unique<state>()) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t rounded = (std::max(stack_bytes, 4 * page) + page - 1) / page * page;
  state& s = *state_;
  s.count = count;
  s.page = page;
  if (count <= guarded_limit) s.guard = guard_for(rounded, page);
  s.stride = rounded + s.guard;
  s.mapped = count * s.stride + page;
  void* memory = mmap(nullptr, s.mapped, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    throw system_error("cannot map " + std::to_string(count) + " fiber stacks of " +
                           std::to_string(rounded) +
                           " bytes (lower the knob stack_bytes, or the number of ranks a process)",
                       errno);
  }
  s.base = static_cast<std::byte*>(memory);
  // A huge page under a stack of which one page is used would commit 512 times the memory.
  madvise(memory, s.mapped, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; s.guarded() && i < count; ++i) {
    if (mprotect(s.base + i * s.stride, s.guard, PROT_NONE) != 0) {
      const int why = errno;
      munmap(memory, s.mapped);
      throw system_error("cannot protect the guard page of fiber stack " + std::to_string(i), why);
    }
  }
  if (s.guarded()) s.noted = &process::note_stacks(s.base, s.stride, s.guard, count);
}

fiber_stacks::~fiber_stacks() {
  if (state_->noted != nullptr) process::forget_stacks(*state_->noted);
  munmap(state_->base, state_->mapped);
}

namespace {

/// What a stack leaves free at its top: stacks begin at pages, and the same depth of all would fall
/// into the same few places of the first cache. The step spreads neighbours over all of them.
std::size_t top_margin_of(std::size_t index, std::size_t page) {
  constexpr std::size_t step = 11;
  return index * step % (page / cache_line) * cache_line;
}

}  // namespace

struct fiber::state {
  std::byte* bottom = nullptr;
  std::size_t bytes = 0;
  std::size_t index = 0;
  void (*entry)(void*) = nullptr;
  void* argument = nullptr;
  [[no_unique_address]] stack_notes notes;

  static void enter(context::transfer_t from) noexcept {
    auto& self = *static_cast<fiber*>(from.data);
    const state& s = *self.state_;
    self.resumer_ = from.fctx;
    self.entered();
    s.entry(s.argument);
    self.done_ = true;
    if (!self.guarded_) self.check_overflow();
    self.leaving();
    context::jump_fcontext(self.resumer_, nullptr);
  }

  void plant_canary() const {
    for (std::size_t at = 0; at < canary_bytes; at += sizeof canary_word) {
      std::memcpy(bottom + at, &canary_word, sizeof canary_word);
    }
  }
};

/// Guard pages need no check. Runs on the fiber: its own frame must be above the canary too.
void fiber::check_overflow() const {
  const state& s = *state_;
  std::array<std::uint64_t, canary_bytes / sizeof canary_word> words;
  std::memcpy(words.data(), s.bottom, canary_bytes);
  std::uint64_t difference = 0;
  for (const std::uint64_t word : words) difference |= word ^ canary_word;
  if (difference == 0 && static_cast<const std::byte*>(__builtin_frame_address(0)) > s.bottom) {
    return;
  }
  // The neighbour's stack is overwritten: nothing may run on, not even an exception.
  const int rank = process::current_rank();
  std::fprintf(stderr,
               "upwash: %s %zu overflowed its stack of %zu bytes; raise the knob stack_bytes "
               "(UPWASH_STACK_BYTES)\n",
               rank < 0 ? "fiber" : "rank", rank < 0 ? s.index : static_cast<std::size_t>(rank),
               s.bytes);
  std::abort();
}

fiber::fiber(fiber_stacks& stacks, std::size_t index, void (*entry)(void*), void* argument)
    : state_(std::make_unique<state>()) {
  const fiber_stacks::state& memory = *stacks.state_;
  if (index >= memory.count) {
    throw error(error_kind::argument, "fiber stack " + std::to_string(index) + " of " +
                                          std::to_string(memory.count) + " does not exist");
  }
  state& s = *state_;
  s.bottom = memory.bottom(index);
  s.bytes = memory.usable();
  s.index = index;
  s.entry = entry;
  s.argument = argument;
  s.notes.created(s.bottom, s.bytes);
  guarded_ = memory.guarded();
  if (!guarded_) s.plant_canary();
  const std::size_t bytes = s.bytes - top_margin_of(index, memory.page);
  own_ = context::make_fcontext(s.bottom + bytes, bytes, &state::enter);
}

fiber::~fiber() { state_->notes.destroyed(state_->bottom, state_->bytes); }

// Not seen by the thread sanitizer: it would count the call on one stack, its return on another.
[[gnu::no_sanitize_thread]] void fiber::entering() { state_->notes.entering(); }
void fiber::left() { state_->notes.left(); }
[[gnu::no_sanitize_thread]] void fiber::leaving() { state_->notes.leaving(done_); }
void fiber::entered() { state_->notes.entered(); }

}  // namespace upwash
