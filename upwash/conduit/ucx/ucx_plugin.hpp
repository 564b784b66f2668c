// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What libupwash_ucx.so gives the conduit. Headers only, as its transport: see wire/plugin.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/conduit/wire/plugin.hpp"
#include "upwash/conduit/wire/transport.hpp"

namespace upwash::conduit::ucx {

/// Where the processes of a job are reached.
struct peer_addresses {
  std::size_t stride = 0;        ///< room for each
  std::vector<std::byte> bytes;  ///< those of process p begin at p * stride
  std::vector<char> near;        ///< by process: whether it is on the node of this one

  [[nodiscard]] const std::byte* of(int process) const noexcept {
    return bytes.data() + static_cast<std::size_t>(process) * stride;
  }
};

/// An address of a host: IPv4 as ::ffff:a.b.c.d.
using ip_address = std::array<std::uint8_t, 16>;

/// The job of a process, as far as UCX's settings depend on it.
struct job_reach {
  int process = 0;        ///< number of this process
  bool one_host = false;  ///< all processes of the job run on this host
  /// Network interfaces through which processes of the job reach this one by TCP, separated by
  /// commas; empty: unknown, and UCX takes all.
  std::string_view interfaces;
  /// Addresses of all hosts of the job: others may not connect by TCP. Empty: unknown.
  std::span<const ip_address> addresses;
};

class ucx_transport : public wire::transport {
 public:
  /// Where peers reach this process; as long as the transport.
  [[nodiscard]] virtual std::span<const std::byte> address() const noexcept = 0;

  /// The transports and network devices that UCX may use, as "UCX_TLS=..., UCX_NET_DEVICES=...".
  [[nodiscard]] virtual std::string_view settings_text() const noexcept = 0;

  /// Before anything else of a transport, once.
  virtual void meet(peer_addresses peers) = 0;

  /// All processes have found that they load and store what others on their node allocate: from now
  /// on what is allocated is such memory, or is refused.
  virtual void promise_direct_memory() noexcept = 0;
};

struct ucx_plugin : wire::plugin_head {
  const char* engine = nullptr;  ///< name and version of the library that was found

  /// Starts UCX in this process. Returns null on failure, with the reason in `why`.
  ucx_transport* (*start)(const job_reach& job, std::string& why) noexcept = nullptr;
};

}  // namespace upwash::conduit::ucx
