// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Typed parameters of a topology, and errors with their origin.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/model/topology_text.hpp"

namespace upwash::model::detail {

class topology_reader {
 public:
  /// `of` outlives the reader.
  explicit topology_reader(const topology_description& of) : of_(&of) {}

  /// Requires that there are only these keys.
  void expect(std::initializer_list<std::string_view> valid) const;

  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  /// Returns one whole number in [least, most]; `initial` if the key is absent; without `initial`
  /// that is an error.
  [[nodiscard]] int number(std::string_view key, std::int64_t least, std::int64_t most,
                           std::optional<int> initial = {}) const;
  /// Returns numbers in [least, most]; empty if the key is absent.
  [[nodiscard]] std::vector<int> numbers(std::string_view key, std::int64_t least,
                                         std::int64_t most) const;

  /// Throws the error for a key, or for the kind if the key is absent.
  [[noreturn]] void fail(std::string_view key, std::string_view what) const;

 private:
  [[nodiscard]] const topology_description::parameter* find(std::string_view key) const;

  const topology_description* of_;
};

}  // namespace upwash::model::detail
