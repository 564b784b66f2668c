// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// UCX's settings for a job: its user's, except for transports and devices that would open the job's
// memory or its processes to others.
#pragma once

#include <ucp/api/ucp.h>

#include <string>
#include <string_view>

#include "upwash/conduit/ucx/ucx_plugin.hpp"

namespace upwash::conduit::ucx {

struct ucx_settings {
  std::string text;            ///< "UCX_TLS=..., UCX_NET_DEVICES=..."
  bool shares_memory = false;  ///< UCX_TLS leaves a transport of shared memory
};

/// Adapts `config` to the job, and returns the values in force. A variable that the user has set,
/// in the environment or in UCX's file, stays as it is. Otherwise:
///
/// - UCX_TLS: no SysV segments, which the user's group may read and write; on one host no TCP.
/// - UCX_NET_DEVICES: where TCP is in use, only the interfaces of the job and adapters of
///   InfiniBand and RoCE: UCX listens on each interface that it may use, and authenticates nobody.
/// - UCX_LOG_LEVEL: fatal, since upwash reports a failure in one line.
[[nodiscard]] ucx_settings adapt_settings(ucp_config_t* config, const job_reach& job);

/// Whether a value of UCX_TLS leaves a transport of shared memory.
[[nodiscard]] bool allows_shared_memory(std::string_view transports);

}  // namespace upwash::conduit::ucx
