// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/mpi/detail/launcher_manners.hpp"

#include <charconv>

namespace upwash::conduit::mpi {
namespace {

/// The number at the beginning of a text, which is taken off; -1: there is none.
int take_number(std::string_view& text) {
  int number = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || number < 0) return -1;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool is_rule(std::string_view line, char of, std::size_t length) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line.size() == length && line.find_first_not_of(of) == std::string_view::npos;
}

/// Tags are "[1,RANK]<stdout>:"; comments stand between two rules of standard error.
class openmpi_manner final : public launcher_manner {
 public:
  [[nodiscard]] int untag(std::string_view& line) const override {
    std::string_view rest = line;
    if (!take(rest, "[1,")) return -1;
    const int rank = take_number(rest);
    if (rank < 0 || (!take(rest, "]<stdout>:") && !take(rest, "]<stderr>:"))) return -1;
    line = rest;
    return rank;
  }
  [[nodiscard]] bool is_comment(std::string_view line, bool standard_error,
                                bool& inside) const override {
    if (!standard_error) return false;
    if (!is_rule(line, '-', 74)) return inside;
    inside = !inside;
    return true;
  }
  [[nodiscard]] int status(int own, std::string_view /*comments*/) const override { return own; }
};

/// Tags are "[RANK] "; comments are lines behind a rule, up to the one that names a web page.
class hydra_manner final : public launcher_manner {
 public:
  [[nodiscard]] int untag(std::string_view& line) const override {
    std::string_view rest = line;
    if (!take(rest, "[")) return -1;
    const int rank = take_number(rest);
    if (rank < 0 || !take(rest, "] ")) return -1;
    line = rest;
    return rank;
  }
  [[nodiscard]] bool is_comment(std::string_view line, bool standard_error,
                                bool& inside) const override {
    if (standard_error) return false;
    if (is_rule(line, '=', 83)) return inside = true;
    if (!inside) return false;
    inside = !line.starts_with("Please see the FAQ page");
    return true;
  }
  /// A killed process's signal is told as if it were a status.
  [[nodiscard]] int status(int own, std::string_view comments) const override {
    constexpr std::string_view mark = "(signal ";
    const std::size_t at = comments.rfind(mark);
    if (at == std::string_view::npos) return own;
    std::string_view rest = comments.substr(at + mark.size());
    return take_number(rest) == own ? 128 + own : own;
  }
};

constexpr openmpi_manner of_openmpi;
constexpr hydra_manner of_mpich;

}  // namespace

const launcher_manner& manner_of(library which) noexcept {
  if (which == library::openmpi) return of_openmpi;
  return of_mpich;
}

}  // namespace upwash::conduit::mpi
