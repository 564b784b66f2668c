// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Anonymous files in memory: made, backed for real, mapped, and opened by peers through
// /proc/<pid>/fd/<n>. Nothing of them has a name that could stay behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upwash::conduit::shm_detail {

/// When a file's pages are taken from the machine.
enum class backing {
  at_once,    ///< that they are lacking is an error of who makes it
  as_touched  ///< for files of which most is never used
};

/// A shared mapping and, at the maker, the file behind it.
class shared_memory {
 public:
  shared_memory() = default;
  ~shared_memory();
  shared_memory(shared_memory&& other) noexcept;
  shared_memory& operator=(shared_memory&& other) noexcept;

  /// A zeroed file of `bytes` (rounded up to pages), from 2 MiB on aligned to that; backed at once
  /// it is in huge pages then where the kernel agrees. `purpose` and `knob` are for the error (kind
  /// system) when memory lacks.
  static shared_memory make(std::size_t bytes, std::uint32_t serial, std::string_view purpose,
                            std::string_view knob, backing when = backing::at_once);

  /// The file that process `pid` has as `fd` and made with `serial`. Throws `error` (system).
  static shared_memory open(int pid, int fd, std::uint32_t serial, std::size_t offset,
                            std::size_t bytes);

  /// A child that this process forks has not this memory.
  void keep_from_children() const noexcept;

  [[nodiscard]] std::byte* base() const noexcept { return base_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }
  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] explicit operator bool() const noexcept { return base_ != nullptr; }

 private:
  void map(std::size_t offset);
  void ask_for_huge_pages() noexcept;

  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  int fd_ = -1;
};

[[nodiscard]] std::size_t page_bytes();
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;

[[nodiscard]] constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace upwash::conduit::shm_detail
