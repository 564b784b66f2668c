// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the plugin for PMIx exports.
#pragma once

#include "upwash/conduit/foreign/foreign_engine.hpp"
#include "upwash/conduit/wire/plugin.hpp"

namespace upwash::conduit::foreign {

struct pmix_plugin : wire::plugin_head {
  foreign_engine* (*make)() = nullptr;  ///< the caller's own
};

}  // namespace upwash::conduit::foreign
