// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "tools/command_tree.hpp"
#include "upwash/base/knobs.hpp"

namespace upwash::tools {

/// The page of one command, for man(7). The one on top also lists the knobs that users set.
[[nodiscard]] std::string man_page(const described_command& command, std::span<const knob> knobs);

}  // namespace upwash::tools
