// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A plugin without an engine.
#include "upwash/conduit/wire/plugin.hpp"

namespace {
const upwash::conduit::wire::plugin_head head{.abi = upwash::conduit::wire::plugin_abi,
                                              .name = "good"};
}  // namespace

extern "C" const upwash::conduit::wire::plugin_head* upwash_plugin() noexcept { return &head; }
