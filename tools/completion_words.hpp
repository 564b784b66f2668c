// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What completion offers beside what the command line says of itself: names that only a run of the
// command, or a job, would look at.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command_tree.hpp"
#include "upwash/base/knobs.hpp"

namespace upwash::tools {

/// A name, and what may follow it.
struct named_words {
  std::string name;
  std::vector<std::string> words;
};

struct completion_words {
  std::vector<named_words> knobs;       ///< each with its values, where these can be listed
  std::vector<named_words> algorithms;  ///< of each collective
};

[[nodiscard]] completion_words words_for_completion(std::span<const knob> knobs);

/// The commands with more choices than they check themselves: conduits of `run`, the benches,
/// collectives, schemes.
[[nodiscard]] described_command with_choices(described_command top);

/// What may follow an option, or be a command's first argument.
enum class completed_by { files, choices, knobs, algorithms };
[[nodiscard]] completed_by completion_of(const described_command& command,
                                         const described_option& option);

/// The first argument that is no option; null: it takes none, or a program's name.
[[nodiscard]] const described_option* first_argument(const described_command& command);

/// "tune machine": the words behind "upwash".
[[nodiscard]] std::string path_of(const described_command& command);

/// For single quotes of a shell, which has `quote` for a quote within.
[[nodiscard]] std::string in_quotes(std::string_view text, std::string_view quote = "'\\''");

}  // namespace upwash::tools
