// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "upwash/base/detail/knob_file.hpp"
#include "upwash/base/error.hpp"

namespace upwash::detail {
namespace {

using json = nlohmann::json;

/// Collects entries as the parser meets them: a parsed document no longer knows its lines.
class entry_reader : public nlohmann::json_sax<json> {
 public:
  entry_reader(std::string_view content, std::string_view path, std::istringstream& stream)
      : content_(content), path_(path), stream_(stream) {}

  [[nodiscard]] std::vector<knob_file_entry> take() { return std::move(entries_); }

  bool null() override { return refuse("null"); }
  bool boolean(bool value) override { return keep(value ? "1" : "0"); }
  bool number_integer(number_integer_t value) override { return keep(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return keep(std::to_string(value)); }
  bool number_float(number_float_t /*value*/, const string_t& text) override { return keep(text); }
  bool string(string_t& value) override { return keep(value); }
  bool binary(binary_t& /*value*/) override { return refuse("binary data"); }

  bool start_object(std::size_t /*elements*/) override {
    if (inside_) return refuse("an object");
    inside_ = true;
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*elements*/) override { return refuse("an array"); }
  bool end_array() override { return true; }

  bool key(string_t& name) override {
    const auto consumed = stream_.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in);
    const int line = line_at(static_cast<std::size_t>(consumed));
    for (const auto& entry : entries_) {
      if (entry.name != name) continue;
      fail(line, fmt::format("{}: given twice, first in line {}; keep one", name, entry.line));
    }
    entries_.push_back({name, {}, line});
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& /*why*/) override {
    // The position counts the offending character itself, which may be a line's end.
    fail(line_at(position == 0 ? 0 : position - 1),
         fmt::format("not JSON at \"{}\"; {}", token, expected));
  }

 private:
  static constexpr std::string_view expected =
      R"(expected {"name": value, ...} with numbers, strings or booleans)";

  [[nodiscard]] int line_at(std::size_t position) const {
    const auto end =
        content_.begin() + static_cast<std::ptrdiff_t>(std::min(position, content_.size()));
    return 1 + static_cast<int>(std::count(content_.begin(), end, '\n'));
  }

  [[noreturn]] void fail(int line, const std::string& what) const {
    throw error(error_kind::configuration, fmt::format("{}:{}: {}", path_, line, what));
  }

  bool keep(std::string text) {
    if (!inside_) fail(1, std::string(expected));
    entries_.back().text = std::move(text);
    return true;
  }

  bool refuse(std::string_view what) {
    if (entries_.empty()) fail(1, fmt::format("{} here; {}", what, expected));
    const auto& entry = entries_.back();
    fail(entry.line, fmt::format("{}: {} is no value; expected a number, a string or a boolean",
                                 entry.name, what));
  }

  std::string_view content_;
  std::string_view path_;
  std::istringstream& stream_;
  std::vector<knob_file_entry> entries_;
  bool inside_ = false;
};

}  // namespace

std::vector<knob_file_entry> parse_knob_file(std::string_view content, std::string_view path) {
  std::istringstream stream{std::string(content)};
  entry_reader reader(content, path, stream);
  json::sax_parse(stream, &reader);
  return reader.take();
}

}  // namespace upwash::detail
