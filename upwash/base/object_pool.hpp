// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A pool of objects that are taken and returned: no allocation in the steady state.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace upwash {

/// A free list over blocks. T has a `next` pointer.
template <class T>
class object_pool {
 public:
  [[nodiscard]] T* take() {
    if (free_ == nullptr) grow();
    T* object = free_;
    free_ = object->next;
    object->next = nullptr;
    return object;
  }
  void give_back(T* object) noexcept {
    object->next = free_;
    free_ = object;
  }

 private:
  static constexpr std::size_t block = 64;
  void grow() {
    blocks_.push_back(std::make_unique<T[]>(block));
    for (std::size_t i = 0; i < block; ++i) give_back(&blocks_.back()[i]);
  }
  T* free_ = nullptr;
  std::vector<std::unique_ptr<T[]>> blocks_;
};

}  // namespace upwash
