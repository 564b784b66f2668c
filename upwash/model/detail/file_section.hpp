// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading one object of a machine file: typed values with units and sources. Everything that is
// wrong becomes an `error` (configuration): "<file>, line N: <key path>: <what>".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/model/detail/json_tree.hpp"

namespace upwash::detail {

using key_names = std::initializer_list<std::string_view>;

class file_section {
 public:
  /// The whole file, whose name is `origin`; both outlive it.
  file_section(const json_node& node, std::string_view origin) : node_(&node), origin_(origin) {}

  /// Complains about the member `key`.
  [[noreturn]] void fail(std::string_view key, std::string_view what) const;

  /// An object with no keys but these; an unknown one is named with the nearest.
  void expect_object(key_names valid) const;

  [[nodiscard]] bool has(std::string_view key) const { return node_->find(key) != nullptr; }
  [[nodiscard]] const json_node& require(std::string_view key) const;
  /// This one outlives it, and so do keys.
  [[nodiscard]] file_section child(std::string_view key) const;
  /// The entries of a list that is not empty; the same.
  [[nodiscard]] std::vector<file_section> children(std::string_view key) const;

  [[nodiscard]] const std::string& text(std::string_view key) const;
  /// The position of the text in `valid`.
  [[nodiscard]] std::size_t choice(std::string_view key, key_names valid) const;
  /// 0 to 1e15.
  [[nodiscard]] double number(std::string_view key) const;

  // Of a member {"value", "unit", "source"}.
  [[nodiscard]] duration time(std::string_view key) const;        ///< ns us ms s ps
  [[nodiscard]] double per_byte(std::string_view key) const;      ///< ns/B us/B ps/B, as ns/B
  [[nodiscard]] std::uint64_t bytes(std::string_view key) const;  ///< B KiB MiB
  [[nodiscard]] int count(std::string_view key) const;            ///< 1, 2, ...; no unit
  [[nodiscard]] std::size_t sourced_choice(std::string_view key, key_names valid) const;

  /// Reads the member into `into` when it is there.
  template <class T, class Into>
  void maybe(std::string_view key, Into& into,
             T (file_section::*read)(std::string_view) const) const {
    if (has(key)) into = (this->*read)(key);
  }

 private:
  struct unit {
    std::string_view name;
    double factor;
  };

  static constexpr std::size_t no_entry = SIZE_MAX;

  file_section(const json_node& node, const file_section& outer, std::string_view key,
               std::size_t entry = no_entry)
      : node_(&node), origin_(outer.origin_), outer_(&outer), key_(key), entry_(entry) {}

  [[noreturn]] void fail_at(const json_node& at, std::string_view path,
                            std::string_view what) const;
  /// "levels[1].loggp"; empty for the file. Only who complains needs it.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::string path_of(std::string_view key) const;
  [[nodiscard]] double quantity(std::string_view key, std::initializer_list<unit> units) const;

  const json_node* node_;
  std::string_view origin_;
  const file_section* outer_ = nullptr;  ///< null: it is the file
  std::string_view key_;                 ///< in the outer one
  std::size_t entry_ = no_entry;         ///< of a list
};

}  // namespace upwash::detail
