// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What libupwash_ucx.so gives the conduit. Headers only, as its transport: see wire/plugin.hpp.
#pragma once

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

class ucx_transport : public wire::transport {
 public:
  /// Where peers reach this process; as long as the transport.
  [[nodiscard]] virtual std::span<const std::byte> address() const noexcept = 0;

  /// Of those that the engine has, which it may take, in its words.
  [[nodiscard]] virtual std::string_view transports() const noexcept = 0;

  /// Before anything else of a transport, once.
  virtual void meet(peer_addresses peers) = 0;

  /// All processes have found that they load and store what others on their node allocate: from now
  /// on what is allocated is such memory, or is refused.
  virtual void promise_direct_memory() noexcept = 0;
};

struct ucx_plugin : wire::plugin_head {
  const char* engine = nullptr;  ///< name and version of the library that was found

  /// Of this process, which is that one of the job. Null on failure, and why.
  ucx_transport* (*start)(int process, std::string& why) noexcept = nullptr;
};

}  // namespace upwash::conduit::ucx
