// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A queue that allocates only when it holds more than ever before. std::deque releases and
// allocates blocks while entries pass through it.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace upwash {

/// First in, first out. T is default-constructible and movable. All calls O(1), amortised. Memory:
/// for the most entries held at once, kept.
template <class T>
class fifo {
 public:
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// Returns entry `i`, counted from the oldest.
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return room_[at(i)]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return room_[at(i)]; }
  [[nodiscard]] T& front() noexcept { return (*this)[0]; }
  [[nodiscard]] T& back() noexcept { return (*this)[count_ - 1]; }

  void push_back(T entry) {
    if (count_ == room_.size()) grow();
    room_[at(count_)] = std::move(entry);
    ++count_;
  }
  /// Removes the oldest entry and destroys its contents.
  void pop_front() {
    room_[first_] = T();
    first_ = at(1);
    --count_;
  }

  /// Removes the newest entry and destroys its contents.
  void pop_back() {
    back() = T();
    --count_;
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t i) const noexcept {
    return (first_ + i) & (room_.size() - 1);  // the size is a power of two
  }
  void grow() {
    std::vector<T> larger(room_.empty() ? 8 : 2 * room_.size());
    for (std::size_t i = 0; i < count_; ++i) larger[i] = std::move(room_[at(i)]);
    room_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> room_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace upwash
