// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The network interfaces through which the hosts of a job reach each other by TCP. UCX listens on
// each interface that it may use, and takes packets from anybody: others are left out.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/ucx/ucx_plugin.hpp"

namespace upwash::conduit::ucx {

struct host_address {
  ip_address bytes{};
  std::uint8_t prefix = 0;  ///< bits that name the network; 0: no address

  [[nodiscard]] bool is_same(const host_address& other) const noexcept {
    return bytes == other.bytes;
  }
  /// Whether `other` is in the network of this address.
  [[nodiscard]] bool reaches(const host_address& other) const noexcept;
};

/// The addresses of a host, except for its loopback's, and those of a link.
using host_addresses = std::array<host_address, 24>;

struct host_interface {
  std::string name;
  host_address address;
  bool loopback = false;
};

/// The interfaces of this host that are up, once for each of their addresses.
[[nodiscard]] std::vector<host_interface> interfaces_here();

/// Chooses from `own` the interfaces through which this host reaches the `others`, in UCX's form:
/// names with commas between them. These are the interfaces in whose network another host has an
/// address, and for a host that shares no network with this one the interface by which the kernel
/// routes to it. Hosts with the addresses of this one (containers with one network) are reached
/// by the loopback. Returns an empty text if some host is reached by none.
[[nodiscard]] std::string choose_interfaces(std::span<const host_interface> own,
                                            std::span<const host_addresses> others);

/// What UCX needs to know if it uses TCP in a job.
struct job_network {
  std::string interfaces;             ///< as `choose_interfaces` says
  std::vector<ip_address> addresses;  ///< of all hosts; empty: unknown, or one host
};

/// The network of a job: the loopback on one host. Collective and blocking on several hosts.
[[nodiscard]] job_network network_of(bootstrap& boot);

}  // namespace upwash::conduit::ucx
