// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory for what does not lie in the program's buffers as it travels; used again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace upwash::mpi {

class staging;

/// A piece of memory on loan, given back at the end.
class staged {
 public:
  staged() = default;
  staged(staged&& other) noexcept
      : from_(std::exchange(other.from_, nullptr)), memory_(std::exchange(other.memory_, {})) {}
  staged& operator=(staged&& other) noexcept {
    std::swap(from_, other.from_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~staged();

  [[nodiscard]] std::byte* data() const noexcept { return memory_.data(); }

 private:
  friend class staging;
  staged(staging& from, std::span<std::byte> memory) : from_(&from), memory_(memory) {}

  staging* from_ = nullptr;
  std::span<std::byte> memory_;
};

/// Of one rank. Keeps the last few pieces, of 16 MiB at most each.
class staging {
 public:
  staging() = default;
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;
  ~staging() {
    for (const auto& each : kept_) std::free(each.data());
  }

  /// Aligned for every fundamental type. Throws std::bad_alloc.
  [[nodiscard]] staged take(std::size_t bytes) {
    if (bytes == 0) return {};
    for (auto& each : kept_) {
      if (each.size() >= bytes) return {*this, std::exchange(each, {})};
    }
    void* made = std::malloc(bytes);
    if (made == nullptr) throw std::bad_alloc();
    return {*this, {static_cast<std::byte*>(made), bytes}};
  }

 private:
  friend class staged;
  static constexpr std::size_t most_kept_bytes = std::size_t{16} << 20U;

  void give_back(std::span<std::byte> memory) noexcept {
    if (memory.size() <= most_kept_bytes) {
      std::swap(memory, kept_[next_]);
      next_ = (next_ + 1) % kept_.size();
    }
    std::free(memory.data());
  }

  std::array<std::span<std::byte>, 4> kept_{};
  std::size_t next_ = 0;
};

inline staged::~staged() {
  if (from_ != nullptr) from_->give_back(memory_);
}

}  // namespace upwash::mpi
