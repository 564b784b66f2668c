// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The shared-memory conduit: ranks are processes (or fibers of them) on one machine.
#pragma once

#include <memory>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/world.hpp"

namespace upwash::conduit {

/// Collective over the processes of `boot`, which must outlive the world. Throws `error`.
[[nodiscard]] std::unique_ptr<world> make_shm_world(bootstrap& boot, const settings& values);

}  // namespace upwash::conduit
