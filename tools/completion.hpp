// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completion of the upwash command for shells: commands, options, what may follow an option, names
// of knobs and their values. Behind `--` and the name of a program nothing of the command's is
// offered. What is not known is completed as file names.
#pragma once

#include <string>

#include "tools/command_tree.hpp"
#include "tools/completion_words.hpp"

namespace upwash::tools {

/// `top` is what with_choices made.
[[nodiscard]] std::string bash_completion(const described_command& top,
                                          const completion_words& words);
[[nodiscard]] std::string zsh_completion(const described_command& top,
                                         const completion_words& words);
[[nodiscard]] std::string fish_completion(const described_command& top,
                                          const completion_words& words);

}  // namespace upwash::tools
