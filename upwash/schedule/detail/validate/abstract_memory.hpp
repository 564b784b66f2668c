// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of an abstract run: contributors instead of data. A number names each value, so that
// copies cost nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "upwash/schedule/validate.hpp"

namespace upwash::schedule::detail {

/// All values of a run.
class abstract_values {
 public:
  using name = std::uint32_t;
  static constexpr name unwritten = 0;

  [[nodiscard]] name leaf(contribution of);
  /// Returns the name of left followed by right.
  [[nodiscard]] name combined(name left, name right);
  [[nodiscard]] abstract_value spelled(name of) const;

 private:
  struct node {
    contribution leaf;
    name left = unwritten;
    name right = unwritten;
  };
  std::vector<node> nodes_{1};
};

using value_names = std::vector<abstract_values::name>;

/// The buffers of all ranks.
class abstract_memory {
 public:
  explicit abstract_memory(const expectation& of);

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(buffers_.size()); }
  /// Grows scratch, or shared scratch, to at least `bytes`; the content stays.
  void grow(int rank, buffer which, std::uint64_t bytes);

  /// Returns the error in rank `rank` naming `p`; empty: none.
  [[nodiscard]] std::string objection(int rank, const piece& p) const;

  [[nodiscard]] value_names read(int rank, const piece& p) const;
  void write(int rank, const piece& p, std::span<const abstract_values::name> names);
  [[nodiscard]] std::uint64_t elements(const piece& p) const { return p.bytes / element_bytes_; }
  [[nodiscard]] const value_names& output(int rank) const { return of(rank, buffer::output); }

  abstract_values values;

 private:
  [[nodiscard]] const value_names& of(int rank, buffer which) const {
    return buffers_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(which)];
  }

  std::uint32_t element_bytes_;
  std::vector<std::array<value_names, buffer_kinds>> buffers_;  ///< by rank and buffer
};

}  // namespace upwash::schedule::detail
