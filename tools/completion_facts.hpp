// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The command line as lists that bash and fish look words up in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/command_tree.hpp"
#include "tools/completion_words.hpp"

namespace upwash::tools {

inline constexpr std::string_view shell_licence =
    "# SPDX-FileCopyrightText: the upwash authors\n# SPDX-License-Identifier: BSD-3-Clause\n";

struct completed_command {
  std::string path;  ///< empty: the command itself
  const described_command* is = nullptr;
  std::vector<std::string> options;  ///< "-n", "--ranks", of all
  std::vector<std::string> below;    ///< commands
  std::vector<std::string> first_choices;
};

struct completed_value {
  std::vector<std::string> patterns;  ///< "run -n", "run --ranks"
  completed_by is = completed_by::files;
  std::vector<std::string> choices;
};

struct completion_facts {
  std::vector<completed_command> commands;
  std::vector<completed_value> values;
  std::vector<std::string> starting;  ///< commands behind whose first argument another's words come

  [[nodiscard]] std::vector<std::string> paths() const;     ///< without the command itself
  [[nodiscard]] std::vector<std::string> patterns() const;  ///< of all values
};

/// `top` outlives what is made.
[[nodiscard]] completion_facts facts_of(const described_command& top);

/// "choices", as the shells' functions call it.
[[nodiscard]] std::string_view name_of(completed_by is) noexcept;

}  // namespace upwash::tools
