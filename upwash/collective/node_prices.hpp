// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices that processes of a node tell each other: what one has priced, the others need not.
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

/// Stores of prices in several pieces of shared memory; a key belongs to one of them. Whatever it
/// answers, prices are the same: who hears nothing makes them.
class node_prices {
 public:
  using words = detail::price_store::words;
  /// The memory, alike at all that share it.
  class pieces {
   public:
    virtual ~pieces() = default;
    pieces(const pieces&) = delete;
    pieces& operator=(const pieces&) = delete;
    [[nodiscard]] virtual int count() const noexcept = 0;
    /// By its number; it may map memory.
    [[nodiscard]] virtual std::span<std::uint64_t> piece(int number) const = 0;

   protected:
    pieces() = default;
  };

  /// `core_of_its_own`: who waits need not let others run.
  node_prices(std::unique_ptr<const pieces> memory, bool core_of_its_own)
      : memory_(std::move(memory)), core_of_its_own_(core_of_its_own) {}

  /// Of prices under one key: heard of somebody, or to be made, and told.
  class turn {
   public:
    /// Where somebody is at it, waits for it as long as this at most, however that one fares: it
    /// may be stopped, or dead.
    turn(node_prices& among, std::vector<std::uint64_t> key, duration patience);
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() {
      if (promised_) at_.give_up(key_, hash_);
    }

    /// Nothing: they are to be made.
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
