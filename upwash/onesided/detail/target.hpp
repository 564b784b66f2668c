// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The target of a transfer: checked, with the access to its memory.
#pragma once

#include <cstddef>
#include <string_view>

#include "upwash/conduit/endpoint.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/onesided/layout.hpp"

namespace upwash::detail {

/// The caller's arguments.
struct transfer_call {
  std::string_view name;  ///< with its preposition: "put to", "get from"
  global_ptr<std::byte> at;
  std::size_t local_bytes = 0;  ///< of the local span
};

struct transfer_target {
  footprint size;
  std::byte* direct = nullptr;  ///< address for loads and stores, or null
};

/// Returns the target. Throws `error` (argument), with rank, call and values, for invalid
/// arguments. Local.
[[nodiscard]] transfer_target target_of(job& here, const transfer_call& call, const layout& laid);

/// Returns the conduit's capabilities for the class of the rank.
[[nodiscard]] const conduit::peer_capabilities& abilities_towards(job& here, int rank);

/// Begins to fetch the peer's key, so that the next transfer finds the memory if it can be loaded
/// and stored.
void fetch_key(job& here, global_ptr<std::byte> at);

}  // namespace upwash::detail
