// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How processes of different hosts connect by TCP at start-up, when they have told each other
// where: who comes must say a secret, and hears another one, so that neither side takes a stranger
// for its peer. What goes over the connection stands in host_watch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "upwash/base/duration.hpp"
#include "upwash/conduit/bootstrap.hpp"

namespace upwash::conduit::foreign {

/// Where a process waits for others, as the bootstrap tells it to them.
struct meeting_place {
  using secret = std::array<std::byte, 16>;
  using address = std::array<std::byte, 16>;  ///< of IPv6, or of IPv4 mapped into it

  secret knock{};          ///< what a guest says
  secret welcome{};        ///< what it hears
  std::uint16_t port = 0;  ///< 0: nobody waits
  std::uint16_t addresses = 0;
  std::array<address, 13> at{};  ///< the first `addresses`
};
static_assert(sizeof(meeting_place) <= max_blob_bytes);

/// Waits for guests at all addresses of this host. The listening descriptor, which does not block;
/// -1 on failure, and why.
[[nodiscard]] int open_meeting(meeting_place& place, std::string& why) noexcept;

/// Takes the next guest, if there is one: the connection, and its number. -1: none, or a stranger,
/// which is sent away. A guest that says nothing keeps this for a second.
[[nodiscard]] int take_guest(int listener, const meeting_place& own,
                             std::uint32_t& number) noexcept;

/// Goes there as number `self`, by whichever address is within reach. May take some seconds. The
/// connection; -1 on failure, and why.
[[nodiscard]] int go_to(const meeting_place& place, std::uint32_t self, std::string& why) noexcept;

/// From now on the kernels of both hosts ask and answer each second, whether the processes are
/// busy, or stopped.
void keep_asking(int connection) noexcept;
/// How long ago an answer of the other host's kernel came.
[[nodiscard]] duration silent_for(int connection) noexcept;

}  // namespace upwash::conduit::foreign
