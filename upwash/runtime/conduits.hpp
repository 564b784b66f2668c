// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of conduits: one row each. A new conduit is its folder and a line in
// cmake/conduits.txt.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/conduit/conduit_row.hpp"

namespace upwash {

/// All rows, the default first.
[[nodiscard]] std::vector<conduit::conduit_row> conduits();

/// Throws `error` (configuration) naming all for a name that is none of theirs.
[[nodiscard]] conduit::conduit_row conduit_named(std::string_view name);

/// The world of this process on it, as conduit_row::make.
[[nodiscard]] std::unique_ptr<conduit::world> make_world(const conduit::conduit_row& on,
                                                         const settings& values,
                                                         conduit::bootstrap* boot);

[[nodiscard]] std::vector<std::string> conduit_names();
/// As the choices of a knob: "shm|sim|loopback".
[[nodiscard]] std::string_view conduit_choices() noexcept;

}  // namespace upwash
