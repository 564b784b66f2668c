// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices that the processes of a node share, so that each price is computed once a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/collective/detail/choose/price_store.hpp"

namespace upwash::collective {

/// Stores of prices in several pieces of shared memory; each key belongs to one piece. The prices
/// do not depend on the stores: a process that finds no price computes it.
class node_prices {
 public:
  using words = detail::price_store::words;
  /// The shared memory. All processes that share it see the same pieces.
  class pieces {
   public:
    virtual ~pieces() = default;
    pieces(const pieces&) = delete;
    pieces& operator=(const pieces&) = delete;
    [[nodiscard]] virtual int count() const noexcept = 0;
    /// Returns a piece by its number. May map memory.
    [[nodiscard]] virtual std::span<std::uint64_t> piece(int number) const = 0;

   protected:
    pieces() = default;
  };

  /// `core_of_its_own`: a waiting process need not yield its core.
  node_prices(std::unique_ptr<const pieces> memory, bool core_of_its_own)
      : memory_(std::move(memory)), core_of_its_own_(core_of_its_own) {}

  /// One access to the prices of a key: either they are found, or this process computes and
  /// publishes them.
  class turn {
   public:
    /// If another process is computing the prices, waits at most `patience` for it. That process
    /// may be stopped or dead.
    turn(node_prices& among, std::vector<std::uint64_t> key, duration patience);
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() {
      if (promised_) at_.give_up(key_, hash_);
    }

    /// Returns the prices found. Empty: the caller must compute them.
    [[nodiscard]] const std::optional<words>& heard() const noexcept { return heard_; }
    void tell(words value) noexcept {
      at_.give(key_, hash_, value);
      promised_ = false;
    }

   private:
    std::vector<std::uint64_t> key_;
    std::uint64_t hash_;
    detail::price_store at_;
    std::optional<words> heard_;
    bool promised_ = false;
  };

 private:
  [[nodiscard]] detail::price_store store_of(std::uint64_t hash) const;

  std::unique_ptr<const pieces> memory_;
  bool core_of_its_own_;
};

}  // namespace upwash::collective
