// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The lines of messages of the memory class: their codes and the layout of their values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "upwash/conduit/message.hpp"

namespace upwash::detail {

/// The codes of core's own messages: the number on the wire. Numbers of higher layers are larger.
enum class memory_code : std::uint32_t {
  put_piece,
  put_last,
  acknowledge,
  get,
  get_exposed,
  data,
  atomic,
  old_value,
  key_wanted,
  key,
  answer,
  put_silent,
  count_wanted,
  counted,
  served_wanted,
  served,
};

/// Values one after another, without padding.
class memory_line {
 public:
  template <class... Args>
  explicit memory_line(const Args&... args) noexcept {
    static_assert((sizeof(Args) + ... + 0) <= conduit::max_argument_bytes);
    (append(&args, sizeof args), ...);
  }
  void append(const void* value, std::size_t bytes) noexcept {
    std::memcpy(bytes_.data() + size_, value, bytes);
    size_ += bytes;
  }
  [[nodiscard]] std::span<const std::byte> used() const noexcept {
    return std::span(bytes_).first(size_);
  }

 private:
  std::array<std::byte, conduit::max_argument_bytes> bytes_;
  std::size_t size_ = 0;
};

template <class... Args>
void unpack(std::span<const std::byte> from, Args&... args) noexcept {
  std::size_t at = 0;
  const auto take = [&](auto& value) {
    std::memcpy(&value, from.data() + at, sizeof value);
    at += sizeof value;
  };
  (take(args), ...);
}

}  // namespace upwash::detail
