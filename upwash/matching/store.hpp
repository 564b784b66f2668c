// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A store: the posted receives or the unexpected messages of one rank, in order of arrival. Engine
// and partition are chosen by name; the matches are the same.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "upwash/matching/partitions/router.hpp"

namespace upwash::matching {

/// The interface of a store. Not for several threads at once. Entries belong to the caller and stay
/// in place until they are erased or taken. Cost: depends on engine and partition (see their
/// headers).
class store {
 public:
  virtual ~store() = default;
  store(const store&) = delete;
  store& operator=(const store&) = delete;

  /// Inserts an entry as the latest of all.
  virtual void insert(entry& e) = 0;
  /// Returns the earliest entry that matches, or null. The entry stays (a probe).
  [[nodiscard]] virtual entry* find(const envelope& wanted) = 0;
  /// Returns the earliest entry that matches, or null, and erases the entry.
  [[nodiscard]] virtual entry* take(const envelope& wanted) = 0;
  /// Erases an entry of the store (a cancel). O(1) amortized.
  virtual void erase(entry& e) = 0;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] virtual costs spent() const noexcept = 0;
  /// Describes the partition, with the bytes of everything except the entries.
  [[nodiscard]] virtual division describe() const = 0;

 protected:
  store() = default;

  std::size_t size_ = 0;  ///< maintained by insert and erase
};

inline constexpr std::string_view default_engine = "adaptive";
inline constexpr std::string_view default_partition = "single";

/// Returns all names, as in `make_store`, the bench and its tables.
[[nodiscard]] std::span<const std::string_view> engine_names();
[[nodiscard]] std::span<const std::string_view> partition_names();

/// Makes a store. Throws `error` (argument) for an unknown name, or a shape without ranks or bins.
[[nodiscard]] std::unique_ptr<store> make_store(std::string_view engine, std::string_view partition,
                                                side which, const shape& s);

}  // namespace upwash::matching
