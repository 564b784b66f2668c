// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The command line as data: what man pages and shell completion are written from, so that they say
// what `--help` says.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace upwash::tools {

struct described_option {
  std::vector<std::string> names;    ///< "-n", "--ranks"; of a positional one, without dashes
  std::string value;                 ///< what follows, as "INT"; empty: nothing
  std::vector<std::string> choices;  ///< all that may follow; empty: anything
  std::string text;
  bool positional = false;
  bool required = false;
  bool repeats = false;
};

struct described_command {
  std::vector<std::string> words;  ///< "upwash", "tune", "machine"
  std::string text;
  std::string usage;  ///< without the words
  std::vector<described_option> options;
  std::vector<described_command> below;
  bool starts_program = false;  ///< what is behind its first argument is another program's
};

/// A command with all below it, but what is hidden.
[[nodiscard]] described_command describe(const CLI::App& command);

/// "upwash-tune-machine".
[[nodiscard]] std::string name_of(const described_command& command, const char* between = "-");

}  // namespace upwash::tools
