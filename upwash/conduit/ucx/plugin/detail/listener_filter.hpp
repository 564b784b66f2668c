// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who may connect to UCX's TCP transport: it authenticates nobody, and a malformed packet ends its
// process. The kernel drops what comes from other hosts than the job's.
#pragma once

#include <linux/filter.h>

#include <set>
#include <span>
#include <vector>

#include "upwash/conduit/ucx/ucx_plugin.hpp"

namespace upwash::conduit::ucx {

/// The descriptors of this process on which it listens by TCP.
[[nodiscard]] std::set<int> listening_sockets();

/// A filter of packets for a listening socket that accepts those from `sources` and the loopback.
/// Empty if the kernel takes no filter of this length (more than some 2,000 IPv4 addresses).
[[nodiscard]] std::vector<sock_filter> source_filter(bool ipv4,
                                                     std::span<const ip_address> sources);

/// Lets only `sources` and the loopback connect to the sockets that listen now, except for those
/// in `earlier`. Returns false if a socket has no filter afterwards.
[[nodiscard]] bool accept_only(std::span<const ip_address> sources, const std::set<int>& earlier);

}  // namespace upwash::conduit::ucx
