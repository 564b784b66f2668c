// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/common/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <climits>
#include <cmath>
#include <fstream>
#include <iterator>
#include <tuple>
#include <utility>

#include "upwash/base/error.hpp"

namespace sparse {
namespace {

enum class field { real, integer, pattern };
enum class symmetry { general, symmetric, skew_symmetric };

/// An entry as read, with its line for messages about it.
struct located_entry {
  entry at;
  std::int64_t line = 0;
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

class parser {
 public:
  parser(std::string_view text, std::string_view path) : rest_(text), path_(path) {}

  coordinate_matrix parse() {
    read_banner();
    read_sizes();
    read_entries();
    check_duplicates();
    return expand();
  }

 private:
  static constexpr std::size_t most_words = 6;

  [[noreturn]] void fail(std::int64_t line, const std::string& what) const {
    throw upwash::error(upwash::error_kind::configuration,
                        fmt::format("{}:{}: {}", path_, line, what));
  }

  /// The next line, without its end; false at the end of the text.
  bool next_line(std::string_view& line) {
    if (rest_.empty()) return false;
    const auto end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_;
    return true;
  }

  /// Splits the next line that is neither blank nor a comment into words_; false at the end.
  bool next_words() {
    std::string_view line;
    while (next_line(line)) {
      if (line.starts_with('%')) continue;
      if (split(line) > 0) return true;
    }
    return false;
  }

  std::size_t split(std::string_view line) {
    constexpr std::string_view blanks = " \t\r";
    word_count_ = 0;
    auto begin = line.find_first_not_of(blanks);
    while (begin != std::string_view::npos && word_count_ < most_words) {
      const auto end = std::min(line.find_first_of(blanks, begin), line.size());
      words_.at(word_count_++) = line.substr(begin, end - begin);
      begin = line.find_first_not_of(blanks, end);
    }
    return word_count_;
  }

  void read_banner() {
    constexpr std::string_view expected =
        "expected %%MatrixMarket matrix coordinate real|integer|pattern "
        "general|symmetric|skew-symmetric";
    std::string_view line;
    if (!next_line(line)) fail(1, fmt::format("the file is empty; {}", expected));
    split(line);
    if (word_count_ != 5 || words_[0] != "%%MatrixMarket" || lower(words_[1]) != "matrix" ||
        lower(words_[2]) != "coordinate") {
      fail(1, fmt::format("bad banner \"{}\"; {}", line.substr(0, 80), expected));
    }
    constexpr std::array<std::string_view, 3> fields{"real", "integer", "pattern"};
    constexpr std::array<std::string_view, 3> symmetries{"general", "symmetric", "skew-symmetric"};
    field_ = static_cast<field>(index_of(words_[3], fields, expected));
    symmetry_ = static_cast<symmetry>(index_of(words_[4], symmetries, expected));
    if (field_ == field::pattern && symmetry_ == symmetry::skew_symmetric) {
      fail(1, "a pattern matrix cannot be skew-symmetric: it has no values");
    }
  }

  std::size_t index_of(std::string_view word, const std::array<std::string_view, 3>& names,
                       std::string_view expected) const {
    const auto* found = std::find(names.begin(), names.end(), lower(word));
    if (found == names.end()) fail(1, fmt::format("\"{}\" in the banner; {}", word, expected));
    return static_cast<std::size_t>(found - names.begin());
  }

  void read_sizes() {
    if (!next_words()) fail(line_, "the file ends before the line of rows, columns and entries");
    if (word_count_ != 3) {
      fail(line_, fmt::format("{} fields; expected three: rows, columns, entries", word_count_));
    }
    size_line_ = line_;
    rows_ = static_cast<int>(number(words_[0], "rows", 1, INT_MAX));
    columns_ = static_cast<int>(number(words_[1], "columns", 1, INT_MAX));
    count_ = number(words_[2], "entries", 0, std::int64_t{rows_} * columns_);
    if (symmetry_ != symmetry::general && rows_ != columns_) {
      fail(line_,
           fmt::format("{} rows and {} columns; a symmetric matrix is square", rows_, columns_));
    }
  }

  [[nodiscard]] std::int64_t number(std::string_view word, std::string_view what,
                                    std::int64_t least, std::int64_t most) const {
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (status != std::errc() || end != word.data() + word.size() || value < least ||
        value > most) {
      fail(line_,
           fmt::format("{} \"{}\"; expected a number from {} to {}", what, word, least, most));
    }
    return value;
  }

  [[nodiscard]] double value_of(std::string_view word) const {
    if (field_ == field::integer) {
      return static_cast<double>(number(word, "value", INT64_MIN, INT64_MAX));
    }
    // from_chars takes no plus sign, which Fortran programs write.
    const auto digits = word.starts_with('+') ? word.substr(1) : word;
    double value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) {
      fail(line_, fmt::format("value \"{}\"; expected a finite number", word));
    }
    return value;
  }

  void read_entries() {
    // No trust in the announced count: a wrong one must not allocate what the file cannot hold.
    entries_.reserve(std::min(static_cast<std::size_t>(count_), rest_.size() / 4 + 1));
    const std::size_t fields = field_ == field::pattern ? 2 : 3;
    while (next_words()) {
      if (std::ssize(entries_) == count_) {
        fail(line_,
             fmt::format("more entries than the {} that line {} announces", count_, size_line_));
      }
      if (word_count_ != fields) {
        fail(line_, fmt::format("{} fields; expected {}", word_count_,
                                fields == 2 ? "row, column" : "row, column, value"));
      }
      read_entry();
    }
    if (std::ssize(entries_) < count_) {
      fail(line_, fmt::format("the file ends after {} of the {} entries that line {} announces",
                              entries_.size(), count_, size_line_));
    }
  }

  void read_entry() {
    entry each;
    each.row = static_cast<int>(number(words_[0], "row", 1, rows_)) - 1;
    each.column = static_cast<int>(number(words_[1], "column", 1, columns_)) - 1;
    each.value = field_ == field::pattern ? 1.0 : value_of(words_[2]);
    if (symmetry_ != symmetry::general && each.column > each.row) {
      fail(line_, fmt::format("entry ({}, {}) is above the diagonal; a symmetric file holds the "
                              "lower triangle only",
                              each.row + 1, each.column + 1));
    }
    if (symmetry_ == symmetry::skew_symmetric && each.column == each.row) {
      fail(line_, fmt::format("entry ({}, {}) is on the diagonal, which is zero in a "
                              "skew-symmetric matrix",
                              each.row + 1, each.column + 1));
    }
    entries_.push_back({each, line_});
  }

  void check_duplicates() {
    const auto key = [](const located_entry& each) {
      return std::tuple(each.at.row, each.at.column, each.line);
    };
    std::sort(entries_.begin(), entries_.end(),
              [&](const auto& a, const auto& b) { return key(a) < key(b); });
    const auto twice =
        std::adjacent_find(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
          return a.at.row == b.at.row && a.at.column == b.at.column;
        });
    if (twice == entries_.end()) return;
    fail(std::next(twice)->line, fmt::format("entry ({}, {}) again; line {} has it already",
                                             twice->at.row + 1, twice->at.column + 1, twice->line));
  }

  [[nodiscard]] coordinate_matrix expand() const {
    coordinate_matrix result{rows_, columns_, {}};
    const bool mirrored = symmetry_ != symmetry::general;
    const double sign = symmetry_ == symmetry::skew_symmetric ? -1.0 : 1.0;
    result.entries.reserve(entries_.size() * (mirrored ? 2 : 1));
    for (const auto& each : entries_) {
      const auto [row, column, value] = each.at;
      result.entries.push_back(each.at);
      if (mirrored && row != column) result.entries.push_back({column, row, sign * value});
    }
    std::sort(result.entries.begin(), result.entries.end(), [](const auto& a, const auto& b) {
      return std::pair(a.row, a.column) < std::pair(b.row, b.column);
    });
    return result;
  }

  std::string_view rest_;
  std::string_view path_;
  std::int64_t line_ = 0;
  std::array<std::string_view, most_words> words_{};
  std::size_t word_count_ = 0;
  field field_ = field::real;
  symmetry symmetry_ = symmetry::general;
  std::int64_t size_line_ = 0;
  int rows_ = 0;
  int columns_ = 0;
  std::int64_t count_ = 0;
  std::vector<located_entry> entries_;
};

}  // namespace

coordinate_matrix parse_matrix_market(std::string_view text, std::string_view path) {
  return parser(text, path).parse();
}

coordinate_matrix read_matrix_market(const std::string& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) {
    throw upwash::error(upwash::error_kind::configuration,
                        fmt::format("{}: cannot be read; expected a Matrix Market file", path));
  }
  return parse_matrix_market(text, path);
}

}  // namespace sparse
