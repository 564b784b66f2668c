// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Huge pages for large arrays with scattered reads. If the kernel provides them, the processor
// translates addresses itself, without page tables that are in no cache.
#pragma once

#include <cstddef>
#include <new>

namespace upwash {

/// Asks the kernel for huge pages under this memory. A refusal only makes access slower.
void ask_for_huge_pages(void* memory, std::size_t bytes) noexcept;

/// An allocator for arrays. An array below the size of a huge page is allocated normally.
template <class T>
struct in_huge_pages {
  using value_type = T;

  static constexpr std::size_t page_bytes = std::size_t{2} << 20U;

  in_huge_pages() = default;
  template <class Other>
  in_huge_pages(const in_huge_pages<Other>& /*other*/) noexcept {}  // NOLINT: as allocators do

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* const memory = ::operator new(bytes, alignment_of(bytes));
    if (bytes >= page_bytes) ask_for_huge_pages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(memory, alignment_of(count * sizeof(T)));
  }
  friend bool operator==(in_huge_pages /*a*/, in_huge_pages /*b*/) noexcept { return true; }

 private:
  static std::align_val_t alignment_of(std::size_t bytes) noexcept {
    return std::align_val_t{bytes >= page_bytes ? page_bytes : alignof(T)};
  }
};

}  // namespace upwash
