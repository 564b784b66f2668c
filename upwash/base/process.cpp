// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/process.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string_view>

#include "upwash/base/signal_text.hpp"

namespace upwash::process {
namespace {

// Decision 0: the exception to "no mutable statics". A push-only list, so that a signal handler
// may walk it at any moment.
std::atomic<live_job*> live_jobs{nullptr};
std::atomic<int> free_entries{0};  // of it, at most
std::atomic<int> rank_now{-1};
std::atomic<std::atomic<int>*> rank_shown{&rank_now};
std::atomic<guarded_stacks*> all_stacks{nullptr};  // as live_jobs
std::atomic<bool> several_ranks{false};
// The stack that the system gave the thread which drives the ranks: its lowest address; 0: unknown.
std::atomic<std::uintptr_t> own_stack{0};
std::atomic<std::size_t> own_stack_bytes{0};

/// Bytes of the stack whose guard page has the address; 0: none.
std::size_t overflowed_stack(const std::byte* at) noexcept {
  for (guarded_stacks* each = all_stacks.load(); each != nullptr; each = each->next.load()) {
    const std::byte* first = each->first.load();
    if (first == nullptr || at < first) continue;
    const auto offset = static_cast<std::size_t>(at - first);
    const std::size_t stride = each->stride.load();
    const std::size_t guard = each->guard_bytes.load();
    if (offset / stride < each->count.load() && offset % stride < guard) return stride - guard;
  }
  return 0;
}

/// Of the thread's own stack. A frame may reach a little below it at once.
void note_own_stack() noexcept {
  pthread_attr_t about;
  if (pthread_getattr_np(pthread_self(), &about) != 0) return;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&about, &lowest, &bytes) == 0) {
    own_stack_bytes.store(bytes);
    own_stack.store(reinterpret_cast<std::uintptr_t>(lowest));
  }
  pthread_attr_destroy(&about);
}

/// Bytes of the thread's own stack if the address is where it ends; else 0.
std::size_t overflowed_own_stack(const std::byte* at) noexcept {
  constexpr std::uintptr_t gap = std::uintptr_t{1} << 20U;  // the system keeps free below a stack
  constexpr std::uintptr_t page = 4096;                     // its end is rounded
  const std::uintptr_t lowest = own_stack.load();
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const bool near = lowest != 0 && address + gap >= lowest && address < lowest + page;
  return near ? own_stack_bytes.load() : 0;
}

std::string_view name_of(int signal) noexcept {
  switch (signal) {
    case SIGABRT: return "abort";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic error";
    case SIGILL: return "illegal instruction";
    default: return "segmentation fault";
  }
}

/// Async-signal-safe. Returning repeats the access, which then ends the process; a signal that
/// somebody sent has none to repeat, and is sent on.
void on_deadly_signal(int signal, siginfo_t* info, void* /*context*/) {
  ::signal(signal, SIG_DFL);
  const bool by_itself = info->si_code > 0 || (signal == SIGABRT && info->si_pid == getpid());
  const bool access = signal == SIGSEGV && info->si_code > 0;
  const auto* const at = static_cast<const std::byte*>(info->si_addr);
  const std::size_t bytes = access ? overflowed_stack(at) : 0;
  const std::size_t own_bytes = access && bytes == 0 ? overflowed_own_stack(at) : 0;
  std::array<char, 256> line{};
  signal_text text(line);
  if (bytes > 0) {
    text << "upwash: rank " << current_rank() << " needs more stack than the " << (bytes >> 10U)
         << " KiB it has; raise the knob stack_bytes (UPWASH_STACK_BYTES), or keep large arrays "
            "elsewhere\n";
  } else if (own_bytes > 0 && current_rank() >= 0) {
    text << "upwash: rank " << current_rank() << " needs more stack than the " << (own_bytes >> 10U)
         << " KiB its process has; raise the limit (ulimit -s), or keep large arrays elsewhere\n";
  } else if (by_itself && several_ranks.load() && current_rank() >= 0) {
    text << "upwash: rank " << current_rank()
         << " ends all ranks of its process: " << name_of(signal) << " (signal " << signal << ")\n";
  }
  [[maybe_unused]] const auto told = write(STDERR_FILENO, text.view().data(), text.view().size());
  if (info->si_code <= 0) raise(signal);  // comes once this returns
}

void on_exit() {
  const bool alive = [] {
    for (live_job* one = live_jobs.load(); one != nullptr; one = one->next.load()) {
      if (one->job.load() != nullptr) return true;
    }
    return false;
  }();
  if (!alive || current_rank() < 0) return;
  std::array<char, 128> line{};
  signal_text text(line);
  text << "upwash: rank " << current_rank() << " ends all ranks of its process: it called exit\n";
  [[maybe_unused]] const auto told = write(STDERR_FILENO, text.view().data(), text.view().size());
}

bool handled_by_others(int signal) noexcept {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL;
}

void handle(int signal) noexcept {
  struct sigaction action {};
  action.sa_sigaction = &on_deadly_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(signal, &action, nullptr);
}

}  // namespace

live_job& enter(const void* job, std::size_t (*describe)(const void*, char*, std::size_t)) {
  live_job* free = free_entries.load() > 0 ? live_jobs.load() : nullptr;
  for (; free != nullptr; free = free->next.load()) {
    const void* none = nullptr;
    if (free->describe != describe || !free->job.compare_exchange_strong(none, job)) continue;
    --free_entries;
    return *free;
  }
  auto* entry = new live_job;  // kept for ever: a handler may be looking at it
  entry->describe = describe;
  entry->job.store(job);
  live_job* head = live_jobs.load();
  do {
    entry->next.store(head);
  } while (!live_jobs.compare_exchange_weak(head, entry));
  return *entry;
}

void leave(live_job& entry) noexcept {
  if (entry.job.exchange(nullptr) != nullptr) ++free_entries;
}

void leave_all() noexcept {
  for (live_job* entry = live_jobs.load(); entry != nullptr; entry = entry->next.load()) {
    leave(*entry);
  }
}

void report_live_jobs(int file_descriptor) noexcept {
  const int saved_errno = errno;
  char line[512];
  for (live_job* entry = live_jobs.load(); entry != nullptr; entry = entry->next.load()) {
    const void* job = entry->job.load();
    if (job == nullptr) continue;
    std::size_t length = entry->describe(job, line, sizeof line - 1);
    line[length++] = '\n';
    // Nothing can be done here about a closed standard error.
    [[maybe_unused]] const ssize_t written = write(file_descriptor, line, length);
  }
  errno = saved_errno;
}

void set_current_rank(int rank) noexcept {
  rank_now.store(rank, std::memory_order_relaxed);
  rank_shown.load(std::memory_order_relaxed)->store(rank, std::memory_order_relaxed);
}
void show_current_rank(std::atomic<int>* where) noexcept {
  rank_shown.store(where == nullptr ? &rank_now : where);
  set_current_rank(current_rank());
}
int current_rank() noexcept { return rank_now.load(std::memory_order_relaxed); }

guarded_stacks& note_stacks(const std::byte* first, std::size_t stride, std::size_t guard_bytes,
                            std::size_t count) {
  const auto fill = [=](guarded_stacks& entry) -> guarded_stacks& {
    entry.stride.store(stride);
    entry.guard_bytes.store(guard_bytes);
    entry.count.store(count);
    return entry;
  };
  for (guarded_stacks* each = all_stacks.load(); each != nullptr; each = each->next.load()) {
    const std::byte* free = nullptr;
    if (each->first.compare_exchange_strong(free, first)) return fill(*each);
  }
  auto* entry = new guarded_stacks;  // kept for ever, as the jobs' entries
  fill(*entry).first.store(first);
  guarded_stacks* head = all_stacks.load();
  do {
    entry->next.store(head);
  } while (!all_stacks.compare_exchange_weak(head, entry));
  return *entry;
}

void forget_stacks(guarded_stacks& entry) noexcept {
  entry.count.store(0);
  entry.first.store(nullptr);
}

void tell_of_stack_overflow() {
  if (handled_by_others(SIGSEGV)) return;
  // The handler cannot run on the stack that is full.
  constexpr std::size_t bytes = std::size_t{64} << 10U;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;  // then overflows are not told of
  stack_t other{};
  other.ss_sp = memory;
  other.ss_size = bytes;
  note_own_stack();
  if (sigaltstack(&other, nullptr) == 0) handle(SIGSEGV);
}

void tell_who_ends_all() {
  if (!several_ranks.exchange(true)) std::atexit(&on_exit);
  for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL}) {
    if (!handled_by_others(signal)) handle(signal);
  }
}

bool raise_descriptor_limit() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return false;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

}  // namespace upwash::process
