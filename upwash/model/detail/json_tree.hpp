// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A JSON document with the line of each value, for errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace upwash::detail {

struct json_node {
  struct member;
  enum class type { null, boolean, number, string, array, object };

  type what = type::null;
  int line = 1;
  bool boolean = false;
  double number = 0;
  std::string text;             ///< a string's text; a number as written
  std::vector<member> members;  ///< in the order of the file
  std::vector<json_node> elements;

  [[nodiscard]] const json_node* find(std::string_view key) const noexcept;
  /// Returns "a number 3", "the string \"x\"" or "an object", for messages.
  [[nodiscard]] std::string describe() const;
};

struct json_node::member {
  std::string key;
  json_node value;
};

/// Throws `error` (configuration): "<origin>, line N: ..." for malformed JSON and duplicate keys.
[[nodiscard]] json_node parse_json_tree(std::string_view text, std::string_view origin);

}  // namespace upwash::detail
