// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory for prices that are told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/collective/node_prices.hpp"

namespace upwash::tests {

/// Of words that a test has.
class pieces_of_words final : public collective::node_prices::pieces {
 public:
  pieces_of_words(std::span<std::uint64_t> words, int count) : words_(words), count_(count) {}
  [[nodiscard]] int count() const noexcept override { return count_; }
  [[nodiscard]] std::span<std::uint64_t> piece(int number) const override {
    const std::size_t each = words_.size() / static_cast<std::size_t>(count_);
    return words_.subspan(static_cast<std::size_t>(number) * each, each);
  }

 private:
  std::span<std::uint64_t> words_;
  int count_;
};

}  // namespace upwash::tests
