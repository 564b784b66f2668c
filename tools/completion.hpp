// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completion of the upwash command for shells: commands, options, what may follow an option, and
// names of knobs. What is not known is completed as file names.
#pragma once

#include <span>
#include <string>

#include "tools/command_tree.hpp"
#include "upwash/base/knobs.hpp"

namespace upwash::tools {

[[nodiscard]] std::string bash_completion(const described_command& top,
                                          std::span<const knob> knobs);
[[nodiscard]] std::string zsh_completion(const described_command& top, std::span<const knob> knobs);
[[nodiscard]] std::string fish_completion(const described_command& top,
                                          std::span<const knob> knobs);

}  // namespace upwash::tools
