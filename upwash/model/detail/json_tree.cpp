// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/detail/json_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "upwash/base/error.hpp"

namespace upwash::detail {
namespace {

/// Lets the parser's progress be seen: it reads through this, so at each event `line` is the
/// line of the token just taken (numbers are read one character too far, hence the key's line).
class counting_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  counting_iterator(const char* at, int* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  counting_iterator& operator++() {
    if (line_ != nullptr && *at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  counting_iterator operator++(int) {
    counting_iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const counting_iterator& a, const counting_iterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  int* line_;
};

/// Receives nlohmann's events and grows the tree.
class tree_builder {
 public:
  using json = nlohmann::json;

  tree_builder(std::string_view origin, const int* line) : origin_(origin), line_(line) {}

  bool null() { return add({}), true; }
  bool boolean(bool value) {
    json_node node;
    node.what = json_node::type::boolean;
    node.boolean = value;
    return add(std::move(node)), true;
  }
  bool number_integer(std::int64_t value) {
    return add_number(double(value), fmt::to_string(value));
  }
  bool number_unsigned(std::uint64_t value) {
    return add_number(double(value), fmt::to_string(value));
  }
  bool number_float(double value, const std::string& text) { return add_number(value, text); }
  bool string(std::string& value) {
    json_node node;
    node.what = json_node::type::string;
    node.text = std::move(value);
    return add(std::move(node)), true;
  }
  bool binary(json::binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return open(json_node::type::object); }
  bool start_array(std::size_t /*size*/) { return open(json_node::type::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    key_line_ = *line_;
    if (open_.back()->find(name) != nullptr) {
      throw error(error_kind::configuration,
                  fmt::format("{}, line {}: the key \"{}\" stands twice", origin_, *line_, name));
    }
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& why) {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error ..."
    std::string_view text = why.what();
    const std::size_t colon = text.find(": ");
    if (colon != std::string_view::npos) text.remove_prefix(colon + 2);
    throw error(error_kind::configuration,
                fmt::format("{}, line {}: not JSON: {}", origin_, *line_, text));
  }

  json_node root;

 private:
  bool add_number(double value, std::string text) {
    json_node node;
    node.what = json_node::type::number;
    node.number = value;
    node.text = std::move(text);
    return add(std::move(node)), true;
  }
  bool open(json_node::type what) {
    json_node node;
    node.what = what;
    open_.push_back(add(std::move(node)));
    return true;
  }
  bool close() { return open_.pop_back(), true; }

  json_node* add(json_node node) {
    const bool member = !open_.empty() && open_.back()->what == json_node::type::object;
    node.line = member ? key_line_ : *line_;
    if (open_.empty()) return &(root = std::move(node));
    if (member) {
      open_.back()->members.push_back({key_, std::move(node)});
      return &open_.back()->members.back().value;
    }
    return &open_.back()->elements.emplace_back(std::move(node));
  }

  std::string origin_;
  const int* line_;
  int key_line_ = 1;
  std::string key_;
  std::vector<json_node*> open_;
};

}  // namespace

const json_node* json_node::find(std::string_view key) const noexcept {
  const auto at = std::find_if(members.begin(), members.end(),
                               [&](const member& each) { return each.key == key; });
  return at == members.end() ? nullptr : &at->value;
}

std::string json_node::describe() const {
  switch (what) {
    case type::null: return "null";
    case type::boolean: return boolean ? "true" : "false";
    case type::number: return text;
    case type::string: return fmt::format("\"{}\"", text);
    case type::array: return "a list";
    case type::object: return "an object";
  }
  return "nothing";
}

json_node parse_json_tree(std::string_view text, std::string_view origin) {
  int line = 1;
  tree_builder builder(origin, &line);
  const counting_iterator first(text.data(), &line);
  const counting_iterator last(text.data() + text.size(), nullptr);
  nlohmann::json::sax_parse(first, last, &builder);
  return std::move(builder.root);
}

}  // namespace upwash::detail
