// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A store: the posted receives, or the unexpected messages, of one rank, in the order in which they
// came. Which engine and partition it is made of is chosen by name; the matches are the same.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "upwash/matching/partitions/router.hpp"

namespace upwash::matching {

/// Not for several threads at once. Entries belong to the caller and stay where they are until
/// they are erased or taken. Cost: by engine and partition (their headers say it).
class store {
 public:
  virtual ~store() = default;
  store(const store&) = delete;
  store& operator=(const store&) = delete;

  /// The entry is the latest of all from now on.
  virtual void insert(entry& e) = 0;
  /// The earliest that fits, or null; it stays (a probe).
  [[nodiscard]] virtual entry* find(const envelope& wanted) = 0;
  /// The same, and it is erased.
  [[nodiscard]] virtual entry* take(const envelope& wanted) = 0;
  /// Takes out an entry that is inside (a cancel). O(1) amortized.
  virtual void erase(entry& e) = 0;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] virtual costs spent() const noexcept = 0;
  /// What the partition has made, with the bytes of everything but the entries.
  [[nodiscard]] virtual division describe() const = 0;

 protected:
  store() = default;

  std::size_t size_ = 0;  ///< whoever inserts and erases counts
};

inline constexpr std::string_view default_engine = "adaptive";
inline constexpr std::string_view default_partition = "single";

/// Names of all, as in `make_store`, the bench and its tables.
[[nodiscard]] std::span<const std::string_view> engine_names();
[[nodiscard]] std::span<const std::string_view> partition_names();

/// Throws `error` (argument) for a name that there is not, or a shape without ranks or bins.
[[nodiscard]] std::unique_ptr<store> make_store(std::string_view engine, std::string_view partition,
                                                side which, const shape& s);

}  // namespace upwash::matching
