// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reads one object of a machine file: typed values with units and sources. Every defect becomes an
// `error` (configuration): "<file>, line N: <key path>: <defect>".
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
  /// Reads the whole file with the name `origin`; both outlive the section.
  file_section(const json_node& node, std::string_view origin) : node_(&node), origin_(origin) {}

  /// Throws the error for the member `key`.
  [[noreturn]] void fail(std::string_view key, std::string_view what) const;

  /// Requires an object with only these keys. An unknown key is reported with the nearest one.
  void expect_object(key_names valid) const;

  [[nodiscard]] bool has(std::string_view key) const { return node_->find(key) != nullptr; }
  [[nodiscard]] const json_node& require(std::string_view key) const;
  /// Returns the section of a member. This section and the keys outlive it.
  [[nodiscard]] file_section child(std::string_view key) const;
  /// Returns the entries of a nonempty list; lifetimes as for `child`.
  [[nodiscard]] std::vector<file_section> children(std::string_view key) const;

  [[nodiscard]] const std::string& text(std::string_view key) const;
  /// Returns the position of the text in `valid`.
  [[nodiscard]] std::size_t choice(std::string_view key, key_names valid) const;
  /// Returns a number from 0 to 1e15.
  [[nodiscard]] double number(std::string_view key) const;

  // For a member {"value", "unit", "source"}.
  [[nodiscard]] duration time(std::string_view key) const;        ///< ns us ms s ps
  [[nodiscard]] double per_byte(std::string_view key) const;      ///< ns/B us/B ps/B, as ns/B
  [[nodiscard]] std::uint64_t bytes(std::string_view key) const;  ///< B KiB MiB
  [[nodiscard]] int count(std::string_view key) const;            ///< 1, 2, ...; no unit
  [[nodiscard]] std::size_t sourced_choice(std::string_view key, key_names valid) const;

  /// Reads the member into `into` if it is present.
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
  /// Returns for example "levels[1].loggp"; empty for the file. Used only for errors.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::string path_of(std::string_view key) const;
  [[nodiscard]] double quantity(std::string_view key, std::initializer_list<unit> units) const;

  const json_node* node_;
  std::string_view origin_;
  const file_section* outer_ = nullptr;  ///< null: the whole file
  std::string_view key_;                 ///< in the outer section
  std::size_t entry_ = no_entry;         ///< of a list
};

}  // namespace upwash::detail
