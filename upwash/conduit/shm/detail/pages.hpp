// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether private memory lies in huge pages: cross-memory attach is three times as fast then.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace upwash::conduit::shm_detail {

/// Whether at least three quarters of the span lie in huge pages now. One system call on Linux
/// 6.7 and later; a walk through /proc/self/smaps before.
[[nodiscard]] bool mostly_huge(std::span<const std::byte> span);

/// Remembers the answers for the spans that come again and again: asking takes some microseconds.
/// It asks anew now and then, because the kernel moves memory into huge pages as time goes by.
class page_memory {
 public:
  [[nodiscard]] bool mostly_huge(std::span<const std::byte> span);

 private:
  static constexpr std::uint32_t most_uses = 1000;
  struct answer {
    const std::byte* at = nullptr;
    std::size_t bytes = 0;
    std::uint32_t uses = 0;
    bool huge = false;
  };
  std::array<answer, 8> answers_;
  std::size_t oldest_ = 0;
};

}  // namespace upwash::conduit::shm_detail
