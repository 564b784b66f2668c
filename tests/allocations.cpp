// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> calls{0};
std::atomic<std::uint64_t> counted{0};

}  // namespace

std::uint64_t upwash::test::allocations() noexcept { return calls.load(std::memory_order_relaxed); }

std::uint64_t upwash::test::allocated_bytes() noexcept {
  return counted.load(std::memory_order_relaxed);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

void* operator new(std::size_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  counted.fetch_add(bytes, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

#endif
