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

/// Returns all rows, the default first.
[[nodiscard]] std::vector<conduit::conduit_row> conduits();

/// Returns the row with this name. Throws `error` (configuration), which lists all names, for an
/// unknown name.
[[nodiscard]] conduit::conduit_row conduit_named(std::string_view name);

/// Makes the world of this process on a conduit, as conduit_row::make.
[[nodiscard]] std::unique_ptr<conduit::world> make_world(const conduit::conduit_row& on,
                                                         const settings& values,
                                                         conduit::bootstrap* boot);

[[nodiscard]] std::vector<std::string> conduit_names();
/// Returns the names as the choices of a knob: "shm|sim|loopback".
[[nodiscard]] std::string_view conduit_choices() noexcept;

}  // namespace upwash
