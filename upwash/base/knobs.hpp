// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one table of knobs. Each layer adds its rows (`add_knobs(knob_table&)`). The environment
// (UPWASH_NAME), the command line (--knob name=value), the config file and `upwash info --knobs`
// use this table. Precedence: command line, environment, file, default.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/duration.hpp"

namespace upwash {

enum class knob_type { flag, integer, bytes, time, text, choice };
enum class knob_level { user, tuner, developer };
enum class knob_source { fallback, file, environment, command_line };

/// One row. `name` is lower_snake; the variable is UPWASH_ + upper case. `fallback` is text in the
/// syntax of the type: flag 0|1, integer -3, bytes 64k, time 50us, choice a|b|c in `choices`.
struct knob {
  std::string_view name;
  knob_type type = knob_type::text;
  std::string_view fallback;
  std::string_view doc;
  knob_level level = knob_level::user;
  std::string_view choices = {};  ///< "auto|spin|yield", for type choice
};

/// The rows of all layers. Names are unique; adding a name twice throws `error`.
class knob_table {
 public:
  void add(std::span<const knob> rows);
  [[nodiscard]] std::span<const knob> rows() const noexcept { return rows_; }
  [[nodiscard]] const knob* find(std::string_view name) const noexcept;

 private:
  std::vector<knob> rows_;
};

/// The values of one job: every row resolved and checked once, at the start.
class settings {
 public:
  settings() = default;

  /// Resolves every row from the process environment and the config file (UPWASH_CONFIG, else
  /// upwash/knobs.json in the user's config folder, if present). An empty UPWASH_CONFIG means no
  /// file. Variables that begin with UPWASH_TEST_ are not knobs: test scripts own them. Throws
  /// `error` (configuration) for a malformed value, and for an unknown UPWASH_ variable or key,
  /// with the nearest known name. The error names variable or file and line, value, and valid
  /// values.
  [[nodiscard]] static settings from_environment(const knob_table& table);

  /// Returns the defaults only, for tests and tools.
  [[nodiscard]] static settings defaults(const knob_table& table);

  /// Overrides one value. The text is checked as above.
  void set(std::string_view name, std::string_view value,
           knob_source source = knob_source::command_line);

  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  /// Returns an integer that counts things. Throws `error` (configuration) unless it is from 1 to
  /// 2^28.
  [[nodiscard]] int count(std::string_view name) const;
  [[nodiscard]] std::uint64_t bytes(std::string_view name) const;
  [[nodiscard]] duration time(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;  ///< text and choice
  [[nodiscard]] knob_source source(std::string_view name) const;

  struct value {
    knob row;
    std::string text;
    knob_source source = knob_source::fallback;
  };
  [[nodiscard]] std::span<const value> values() const noexcept { return values_; }

 private:
  [[nodiscard]] const value& at(std::string_view name, knob_type type) const;
  [[nodiscard]] value* find(std::string_view name) noexcept;

  std::vector<value> values_;
};

/// Adds the rows that every program has: `log` and `config`.
void base_knobs(knob_table& table);

/// Returns the environment variable of a knob: "ring_slots" -> "UPWASH_RING_SLOTS".
[[nodiscard]] std::string knob_variable(std::string_view name);

/// Checks `text` against the row's type. Throws `error` (configuration) with a text that begins
/// with `where`.
void check_knob_value(const knob& row, std::string_view text, std::string_view where);

/// Parses "8k" -> 8192; suffixes k m g (binary), optional b. Throws `error` naming `what`.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view text, std::string_view what);

/// Parses "2-3,6" -> 2, 3, 6; an empty text gives no numbers. Numbers must be below `limit`. Throws
/// `error` naming `what`.
[[nodiscard]] std::vector<int> parse_numbers(std::string_view text, int limit,
                                             std::string_view what);

/// Parses "50us" -> 50 microseconds; suffixes ns us ms s; 0 needs none. Throws `error` naming
/// `what`.
[[nodiscard]] duration parse_duration(std::string_view text, std::string_view what);

/// Returns the candidate nearest to `name` by edit distance. Empty if none is near.
[[nodiscard]] std::string_view nearest_name(std::string_view name,
                                            std::span<const std::string_view> candidates);

}  // namespace upwash
