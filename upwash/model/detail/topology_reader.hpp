// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Typed parameters of a topology, and errors that say where they were written.
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
  /// `of` outlives it.
  explicit topology_reader(const topology_description& of) : of_(&of) {}

  /// No keys but these.
  void expect(std::initializer_list<std::string_view> valid) const;

  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  /// One whole number in [least, most]; `initial` where the key is absent, or an error.
  [[nodiscard]] int number(std::string_view key, std::int64_t least, std::int64_t most,
                           std::optional<int> initial = {}) const;
  /// All in [least, most]; empty where the key is absent.
  [[nodiscard]] std::vector<int> numbers(std::string_view key, std::int64_t least,
                                         std::int64_t most) const;

  /// Complains about a key, or about the kind when there is no such key.
  [[noreturn]] void fail(std::string_view key, std::string_view what) const;

 private:
  [[nodiscard]] const topology_description::parameter* find(std::string_view key) const;

  const topology_description* of_;
};

}  // namespace upwash::model::detail
