// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of one process over a transport: what conduits over network engines are made of.
#pragma once

#include <memory>
#include <string_view>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/wire/transport.hpp"
#include "upwash/conduit/world.hpp"

namespace upwash::conduit::wire {

/// `name`: the conduit's, which outlives the world, as `boot` does. Collective over the processes.
/// Throws `error`.
[[nodiscard]] std::unique_ptr<world> make_wire_world(std::string_view name,
                                                     std::unique_ptr<transport> over,
                                                     bootstrap& boot, const settings& values);

}  // namespace upwash::conduit::wire
