// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Buffers for bytes that must be kept for a while, used again: their sizes are powers of two.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace upwash::collective::detail {

/// Keeps what is given back, up to 1 MiB of each size to 64 KiB; larger buffers go at once. All
/// calls O(1), but for the copy.
class spare_bytes {
 public:
  /// A buffer that holds these.
  [[nodiscard]] std::vector<std::byte> copy_of(std::span<const std::byte> bytes) {
    std::vector<std::byte> buffer;
    if (bytes.empty()) return buffer;
    const std::size_t size = std::max(std::bit_ceil(bytes.size()), least);
    if (size <= most) {
      auto& spare = of_size_[class_of(size)];
      if (!spare.empty()) {
        buffer = std::move(spare.back());
        spare.pop_back();
      }
      buffer.reserve(size);
    }
    buffer.assign(bytes.begin(), bytes.end());
    return buffer;
  }

  void give_back(std::vector<std::byte>&& unused) {
    std::vector<std::byte> going = std::exchange(unused, {});
    const std::size_t size = going.capacity();
    if (!std::has_single_bit(size) || size < least || size > most) return;
    auto& spare = of_size_[class_of(size)];
    if (spare.size() < most_of_a_size / size) spare.push_back(std::move(going));
  }

 private:
  static constexpr std::size_t least = 64;
  static constexpr std::size_t most = std::size_t{64} << 10U;
  static constexpr std::size_t most_of_a_size = std::size_t{1} << 20U;
  static constexpr std::size_t sizes = std::bit_width(most) - std::bit_width(least) + 1;

  [[nodiscard]] static std::size_t class_of(std::size_t size) noexcept {
    return static_cast<std::size_t>(std::bit_width(size) - std::bit_width(least));
  }

  std::array<std::vector<std::vector<std::byte>>, sizes> of_size_;
};

}  // namespace upwash::collective::detail
